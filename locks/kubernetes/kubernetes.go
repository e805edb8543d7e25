// Package kubernetes describes elections over Lease objects without client-go, which is slow to
// compile: their traits, the names of their objects, and a probe for the holder. The driver in
// drivers/go/kubernetes implements the election.
package kubernetes

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"time"

	"locktorture/locks"
)

// Namespace contains all Leases. An API server creates it at its start.
const Namespace = "default"

// Traits returns the election's traits.
func Traits() locks.Traits {
	return locks.Traits{
		Kind: locks.Election, Wait: "spin", Renews: true, Token: true, Watched: true, Observed: true,
		Validity: "session", LeastTTL: time.Second, Model: "election",
		// The time counts from a waiter's first look. It covers the duration of the Lease, the
		// waiter's longest pause, and two requests.
		FreeWithin: func(ttl time.Duration) time.Duration {
			ttl = WholeSeconds(ttl)
			return ttl + 2*ttl*2/15*11/10 + 2*time.Second
		},
		Clock: "the monotonic clock of each waiter",
	}
}

// WholeSeconds rounds a TTL up to whole seconds, at least one, as a Lease stores it.
func WholeSeconds(ttl time.Duration) time.Duration {
	return max(time.Second, (ttl + time.Second - 1).Truncate(time.Second))
}

// plainName matches the names that an object may have.
var plainName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?$`)

// Name returns the name of the Lease object of an election.
func Name(name string) string {
	key := locks.Key("lock-", name)
	if plainName.MatchString(key) {
		return key
	}
	return fmt.Sprintf("hash-%x", sha256.Sum224([]byte(key)))
}
