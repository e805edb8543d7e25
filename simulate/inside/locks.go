package inside

import (
	"maps"

	"locktorture/locks"
	"locktorture/registry/onredis"
)

// Locks are the locks that can be simulated, by name: the exclusive ones in the table of package
// onredis.
func Locks() map[string]onredis.Lock {
	all := onredis.Locks()
	maps.DeleteFunc(all, func(_ string, l onredis.Lock) bool { return !exclusive(l) })
	return all
}

// Find finds a lock that can be simulated, a mutant or a twin of mutants among them.
func Find(name string) (onredis.Lock, bool) {
	l, ok := onredis.Find(name)
	return l, ok && exclusive(l)
}

// exclusive reports whether the lock has one holder at a time, as the workloads in virtual time need it.
func exclusive(l onredis.Lock) bool { return l.Traits.Kind == locks.Exclusive }
