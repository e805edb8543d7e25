package redis

import "locktorture/locks"

// NewWatchRepaired returns a Watch whose waiters repair a key without expiry: they
// ask for the −1 that TTL answers, and leave all other keys alone.
//
// It does not promise what Set does not; a key that lost its holder between SETNX and
// EXPIRE is free again after a waiter's retry and a TTL, if there is a waiter.
func NewWatchRepaired(cfg Config) *Watch {
	w := NewWatch(cfg)
	w.lacksExpiry = func(ttl int64) bool { return ttl == -1 }
	return w
}

// WatchRepairedTraits returns the traits of the repaired lock.
func WatchRepairedTraits() locks.Traits { return WatchTraits() }
