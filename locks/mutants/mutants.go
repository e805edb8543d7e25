// Package mutants holds locks that are broken on purpose, to show that a run finds and names each
// fault. Each differs by one switch from its twin, a correct lock: the same code with no switch
// set. They share no code with the locks under test.
//
// Mutants lists each fault with the verdict that a run must reach.
package mutants

import (
	"math/rand/v2"
	"time"

	"locktorture/locks"
)

// A Switch selects one fault of a lock. The zero Switch selects the twin.
type Switch string

// A Config holds the settings of a mutant's client or server.
type Config struct {
	Addrs []string      // host:port of the servers; a lock on one server uses the first
	TTL   time.Duration // in whole milliseconds, rounded down
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner  string
	Clock  locks.Clock
	Access *locks.Access
	// NodeTime is the time that a Quorum waits for a node. Default 100 ms.
	NodeTime time.Duration

	Switch Switch
	// Fired is called each time that the switch makes the lock behave differently from its twin.
	Fired func()
	// Draw decides whether an occasional fault occurs now; it must return true once in n times on
	// average. Default: at random.
	Draw func(n int) bool
}

// withDefaults fills in the defaults. The TTL is rounded down to whole milliseconds, the precision
// of Redis.
func (c Config) withDefaults() Config {
	if c.TTL = c.TTL.Truncate(time.Millisecond); c.TTL <= 0 {
		c.TTL = 2 * time.Second
	}
	if c.NodeTime <= 0 {
		c.NodeTime = nodeTime
	}
	if c.Clock == nil {
		c.Clock = locks.SystemClock{}
	}
	if c.Fired == nil {
		c.Fired = func() {}
	}
	if c.Draw == nil {
		c.Draw = func(n int) bool { return rand.IntN(n) == 0 }
	}
	return c
}

// does reports whether the switch is s, and counts a firing if so.
func (c *Config) does(s Switch) bool { return c.doesIn(s, 1) }

// doesIn works like does for a fault that occurs once in n times.
func (c *Config) doesIn(s Switch, n int) bool {
	if c.Switch != s || n > 1 && !c.Draw(n) {
		return false
	}
	c.Fired()
	return true
}
