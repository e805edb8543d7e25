package redlock

import "locktorture/locks"

// NewMulti returns a lock that is granted only if all of the independent servers
// grant it, and is given back on all of them otherwise.
//
// Algorithm: as Redlock, with all servers for a quorum. Source: Redisson's
// RedissonMultiLock. Clock: as Redlock.
//
// It does not promise that the lock can be had while one server is down. The lock
// outlives the loss of all servers but one; it does not promise what Redlock
// does not to a holder that is stopped after the check, nor when the clocks of all
// jump.
func NewMulti(cfg Config) *Redlock {
	r := New(cfg)
	r.quorum = len(r.nodes)
	return r
}

// MultiTraits returns the lock's traits.
func MultiTraits() locks.Traits { return Traits() }
