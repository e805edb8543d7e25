package redlock

import "locktorture/locks"

// NewMulti returns a lock that is granted only if all of the independent servers grant it, and is
// released on all of them otherwise.
//
// Algorithm: as Redlock, with all servers as the quorum. Source: Redisson's RedissonMultiLock.
// Clock: as Redlock.
//
// It does not promise that the lock can be acquired while a server is down. The lock survives
// the loss of all servers but one. Like Redlock, it neither protects a holder that is paused
// after the check, nor works when the clocks of all servers jump.
func NewMulti(cfg Config) *Redlock {
	r := New(cfg)
	r.quorum = len(r.nodes)
	return r
}

// MultiTraits returns the lock's traits.
func MultiTraits() locks.Traits { return Traits() }
