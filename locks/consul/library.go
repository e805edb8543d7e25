package consul

import (
	"time"

	"locktorture/locks"
)

// apiRetry is the library's pause after a lock-delay: its DefaultLockRetryTime.
const apiRetry = 5 * time.Second

// APITraits returns the traits of the Lock of github.com/hashicorp/consul/api
// (drivers/go/consul-api).
func APITraits() locks.Traits {
	return locks.Traits{
		Wait: "watch", Renews: true, Watched: true, Validity: "session", LeastTTL: time.Second, Model: "lease",
		Blind: true, // Unlock ignores the answer to its release
		// The sum is twice the TTL, the lock-delay of one TTL, the library's pause after it,
		// and a second to find the leader.
		FreeWithin: func(ttl time.Duration) time.Duration {
			return 2*ttl + ttl + apiRetry + time.Second
		},
		Clock: "the Consul leader's monotonic clock",
	}
}

// SemaphoreTraits returns the traits of the library's Semaphore.
func SemaphoreTraits() locks.Traits {
	t := APITraits()
	t.Kind, t.Single, t.Model = locks.Semaphore, true, "timed-semaphore"
	t.Blind = true // Release does not report whether the client still held the slot
	// The sum is twice the TTL, and a second to find the leader.
	t.FreeWithin = func(ttl time.Duration) time.Duration { return 2*ttl + time.Second }
	return t
}
