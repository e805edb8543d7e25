// Package onredis is the part of the registry that needs only a Redis client: the table of the
// locks on one Redis or on five independent ones. Package registry makes backends of them, and
// the locks that one client holds alone also run in virtual time (package simulate/inside). So
// a new lock in this table can be run and explored at once. Package registry/onredis/libraries
// opens the libraries, so that a program that imports only this table contains none of them.
//
// # Reading order
//
// lock.go (the fields of a row), calls.go (functions that fill in a row), locks.go and libraries.go
// (the table), mutants.go.
package onredis

import (
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
)

// Args holds the arguments with which one client opens a lock.
type Args struct {
	Endpoints []string
	TTL       time.Duration
	Owner     string // begins every owner value on a server
	Clock     locks.Clock
	Options   map[string]string
	Access    *locks.Access // login and TLS; nil: the servers require neither
	Prefix    string        // begins every key; "": none
}

// Duration returns the value of an option; 0 if the option is not set.
func (a Args) Duration(option string) (time.Duration, error) {
	text := a.Options[option]
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("option %s: %w", option, err)
	}
	return d, nil
}

// A Lock is a lock on Redis servers that know nothing of each other.
type Lock struct {
	About  string
	Nodes  int // number of servers: 1 or 5
	Traits locks.Traits
	Retry  time.Duration                                                // longest pause between two tries of a waiter
	Open   func(a Args) (locks.Locker, error)                           // nil: it is a library, which package libraries opens
	Probe  func(nodes []redis.Node, timeout time.Duration) locks.Prober // nil: the servers are not probed
	// Options names the options that Open reads.
	Options []string
	// Pushes reports that the server sends its clients messages that are no answers. Embedded
	// servers send them from threads of their own, so such a lock needs real servers in virtual
	// time.
	Pushes bool

	// The fields below have the same meaning as the fields of registry.Backend.

	Bare, Peer     string
	Real, HostTime bool
	Modules        []string
	Program        string // opens the lock outside of virtual time, instead of Open
}

// Unseen returns a sentence about the faults of a lock that stay unknown because its servers
// are not probed; "" if they are.
func (l Lock) Unseen() string {
	if l.Probe != nil {
		return ""
	}
	return "the servers are not probed: an orphan or a lease that is renewed for ever cannot be found, and a release of another client's lease is only inferred from the answers of clients"
}

// beside returns the lock with bare commands that replace the usual ones of its topology.
func (l Lock) beside(commands string) Lock {
	l.Bare = commands
	return l
}

// against returns the lock with a library as its peer.
func (l Lock) against(library string) Lock {
	l.Peer = library
	return l
}

// probedBy returns the lock with a probe of its own. A nil probe means that the servers store no
// owner, or remove what they store without a trace.
func (l Lock) probedBy(probe func([]redis.Node, time.Duration) locks.Prober) Lock {
	l.Probe = probe
	return l
}

// pushed returns the lock with Pushes set, because pub/sub wakes its waiters.
func (l Lock) pushed() Lock {
	l.Pushes = true
	return l
}
