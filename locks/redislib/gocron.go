package redislib

import (
	"time"

	"locktorture/locks"
)

// GocronTraits returns the traits of the lock of drivers/go/gocron.
func GocronTraits() locks.Traits {
	return locks.Traits{
		Wait: "random delay", LeastTTL: 500 * time.Millisecond, Model: "lease", Clock: "the Redis server's wall clock",
		// The term of 250 ms is redsync's longest pause.
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + 250*time.Millisecond },
	}
}

// GocronExtendTraits returns the traits of the lock of drivers/go/gocron if it extends its keys.
func GocronExtendTraits() locks.Traits {
	t := GocronTraits()
	t.Renews = true
	return t
}
