package inside

import (
	"maps"

	"locktorture/locks"
	"locktorture/registry/onredis"
)

// Locks returns the locks that can be simulated, by name: the exclusive locks of package onredis.
func Locks() map[string]onredis.Lock {
	all := onredis.Locks()
	maps.DeleteFunc(all, func(_ string, l onredis.Lock) bool { return !exclusive(l) })
	return all
}

// Find returns the named lock if it can be simulated. It also finds mutants and their twins.
func Find(name string) (onredis.Lock, bool) {
	l, ok := onredis.Find(name)
	return l, ok && exclusive(l)
}

// exclusive reports whether the lock has one holder at a time, as the workloads in virtual time
// require.
func exclusive(l onredis.Lock) bool { return l.Traits.Kind == locks.Exclusive }
