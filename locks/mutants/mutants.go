// Package mutants holds locks that are broken on purpose, to show that a run finds and names
// each fault. Each is one switch away from its twin, a correct lock: the same code with no
// switch set. They share no code with the locks that are judged.
//
// The table of Mutants lists each fault and the verdict that it must get.
package mutants

import (
	"math/rand/v2"
	"time"

	"locktorture/locks"
)

// A Switch is one thing that a lock does wrong. The zero Switch is the twin.
type Switch string

// A Config holds the settings of a mutant's client or server.
type Config struct {
	Addrs  []string      // host:port of the servers; a lock on one server takes the first
	TTL    time.Duration // in whole milliseconds, rounded down
	Owner  string        // prefix of every owner value
	Clock  locks.Clock
	Access *locks.Access
	// NodeTime is how long a Quorum waits for a node. Default: 100 ms.
	NodeTime time.Duration

	Switch Switch
	// Fired is called each time that the switch makes the lock do something else
	// than its twin would.
	Fired func()
	// Draw decides whether a mutant that fires now and then does so this time; it is true
	// once in n times on average. Default: at random.
	Draw func(n int) bool
}

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

// does reports whether the switch is this one, and counts that it did.
func (c *Config) does(s Switch) bool { return c.doesIn(s, 1) }

// doesIn is does for a switch that fires once in n times.
func (c *Config) doesIn(s Switch, n int) bool {
	if c.Switch != s || n > 1 && !c.Draw(n) {
		return false
	}
	c.Fired()
	return true
}
