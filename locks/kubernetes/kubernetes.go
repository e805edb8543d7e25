// Package kubernetes is what torture knows of elections over Lease objects without client-go,
// which is slow to compile: what they declare, what their objects are called, and who has one.
// The election itself is the driver in drivers/go/kubernetes.
package kubernetes

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"time"

	"locktorture/locks"
)

// Namespace has all Leases. An API server makes it when it starts.
const Namespace = "default"

// Traits returns the election's traits.
func Traits() locks.Traits {
	return locks.Traits{
		Kind: locks.Election, Wait: "spin", Renews: true, Token: true, Watched: true, Observed: true,
		Validity: "session", LeastTTL: time.Second, Model: "election",
		// From when a waiter first looks: the duration, its longest pause, and two requests.
		FreeWithin: func(ttl time.Duration) time.Duration {
			ttl = WholeSeconds(ttl)
			return ttl + 2*ttl*2/15*11/10 + 2*time.Second
		},
		Clock: "the monotonic clock of each waiter",
	}
}

// WholeSeconds returns a TTL as a Lease has it: rounded up to whole seconds, at least one.
func WholeSeconds(ttl time.Duration) time.Duration {
	return max(time.Second, (ttl + time.Second - 1).Truncate(time.Second))
}

// plainName is what an object may be called.
var plainName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?$`)

// Name returns the name of the Lease object of an election.
func Name(name string) string {
	key := locks.Key("lock-", name)
	if plainName.MatchString(key) {
		return key
	}
	return fmt.Sprintf("hash-%x", sha256.Sum224([]byte(key)))
}
