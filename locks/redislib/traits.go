package redislib

import (
	"time"

	"locktorture/locks"
)

// RedsyncTraits returns the traits of the lock of package redsync.
func RedsyncTraits() locks.Traits {
	return locks.Traits{
		Wait: "random delay", Bounded: true, Validity: "TTL − elapsed − drift",
		LeastTTL: 500 * time.Millisecond, Model: "timed-lease",
		// The term of 250 ms is the library's longest pause.
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + 250*time.Millisecond },
		Clock:      "each Redis server's wall clock, and the client's",
	}
}

// RedislockBackoff is the pause of package redislock between two tries.
const RedislockBackoff = 5 * time.Millisecond

// RedislockTraits returns the traits of the lock of package redislock.
func RedislockTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Validity: "TTL",
		LeastTTL: 50 * time.Millisecond, Model: "timed-lease",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + RedislockBackoff },
		Clock:      "the Redis server's wall clock",
	}
}
