package redis

import "locktorture/locks"

// NewWatchRepaired returns a Watch whose waiters repair exactly the keys without an expiry, for
// which TTL answers −1.
//
// Its promises are no stronger than those of Set. A key that lost its holder between SETNX and
// EXPIRE becomes free after a waiter's retry and a TTL, if there is a waiter.
func NewWatchRepaired(cfg Config) *Watch {
	w := NewWatch(cfg)
	w.lacksExpiry = func(ttl int64) bool { return ttl == -1 }
	return w
}

// WatchRepairedTraits returns the traits of the repaired lock.
func WatchRepairedTraits() locks.Traits { return WatchTraits() }
