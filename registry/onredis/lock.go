// Package onredis is the part of the registry that needs no more than a Redis client: the locks on
// one Redis or on five independent ones, as data. Package registry makes its backends from them,
// and virtual time plays those that one client holds alone (package simulate/inside). So a lock
// that is added here can be run and explored at once. Libraries are opened by package
// registry/onredis/libraries, so that who asks for this table alone needs none of them.
//
// # Reading order
//
// lock.go (what a row says), calls.go (what fills one in), locks.go and libraries.go (the table),
// mutants.go.
package onredis

import (
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
)

// Args is what a client of a lock is opened with.
type Args struct {
	Endpoints []string
	TTL       time.Duration
	Owner     string // begins every owner value on a server
	Clock     locks.Clock
	Options   map[string]string
	Access    *locks.Access // nil: the servers are open to everybody
	Prefix    string        // of every key; "": none
}

// Duration reads an option; 0 if it was not given.
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
	Probe  func(nodes []redis.Node, timeout time.Duration) *redis.Probe // nil: the servers are not looked at
	// Options names the options that Open reads.
	Options []string
	// Pushes: the server sends its clients messages that are no answers. Embedded servers
	// send them from threads of their own, so in virtual time such a lock needs real ones.
	Pushes bool

	// The fields below have the meaning of those of registry.Backend.

	Bare, Peer     string
	Real, HostTime bool
	Modules        []string
	Program        string // opens the lock outside of virtual time, instead of Open
}

// Unseen says what stays unknown of a lock whose servers are not looked at; "" if they are.
func (l Lock) Unseen() string {
	if l.Probe != nil {
		return ""
	}
	return "the servers are not looked at: an orphan or a lease that is renewed for ever cannot be seen, and a release of another's lease only from the answers of clients"
}

// beside returns the lock compared with other bare commands than those of its topology.
func (l Lock) beside(commands string) Lock {
	l.Bare = commands
	return l
}

// against returns the lock compared with a library.
func (l Lock) against(library string) Lock {
	l.Peer = library
	return l
}

// probedBy returns the lock with a probe of its own; nil: what the servers keep is in nobody's
// name, or ends without a trace.
func (l Lock) probedBy(probe func([]redis.Node, time.Duration) *redis.Probe) Lock {
	l.Probe = probe
	return l
}

// pushed returns the lock as one whose waiters are woken by pub/sub.
func (l Lock) pushed() Lock {
	l.Pushes = true
	return l
}
