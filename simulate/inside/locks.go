package inside

import "locktorture/registry/onredis"

// Locks returns the locks on Redis that can be simulated, by name.
func Locks() map[string]onredis.Lock { return onredis.Locks() }

// Find returns the named lock on Redis. It also finds mutants and their twins.
func Find(name string) (onredis.Lock, bool) { return onredis.Find(name) }
