package gotest

import (
	"io"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A Config says what to do to the lock. Only Traits is needed.
type Config struct {
	Traits locks.Traits // what the lock declares; it is judged by that

	// Topology of the servers (cluster.Topologies); default "redis". In a simulation it is
	// that or "redis-5".
	Topology string
	Clients  int // default 3
	// Duration of the phase with faults; default 10 s, in a simulation three TTLs.
	Duration time.Duration
	TTL      time.Duration // told to the lock; default 2 s, in a simulation 500 ms
	Seed     uint64        // fixes the work and the faults
	Options  map[string]string
	// Dir gets a run directory for each run, with its history and its report, and for what
	// Search has found; "": one that is removed.
	Dir string

	// What follows is for Check and Run.

	Servers []string // folders of server programs that are not on PATH
	// Endpoints are servers that run already; the links to them cannot be broken.
	Endpoints []string
	Nemeses   map[string]nemesis.Nemesis // default: pause and kill-client
	Workload  workloads.Workload         // default: a counter
	// Invariant judges what the workload left; default: that of the counter.
	Invariant checker.Invariant
	Stderr    io.Writer // the log of the clients; nil: discarded

	// What follows is for Explore and Search.

	Find []string // kinds of anomalies; default: all of which the lock can be accused
	// Kinds of faults (docs/explore.md); default: pause, kill, hold, drop, reset, reorder and
	// stop. A jump of a clock and the restart of a server without its data break most locks.
	Kinds  []string
	Trials int           // at most; default 100
	Budget time.Duration // ends the search before; 0: it does not end before
	// Hold is how long a client works in a section, Think how long it rests between two ("50ms",
	// "20ms-60ms"); default 50ms and 20ms. A finding may be cut down with others.
	Hold, Think string
	// Schedule is played instead of a search, with the Clients, the Duration, the Seed, Hold and
	// Think: the faults of a finding, one a line.
	Schedule string

	workload string // its name, if it is the default one
	test     string // its name; "": there is none
}

// ours is the workload that is usual, and all that can be simulated.
const ours = "counter"

func (c Config) withDefaults() Config {
	if c.Topology == "" {
		c.Topology = "redis"
	}
	if c.Nemeses == nil {
		c.Nemeses = nemesis.Named(nemesis.Pause{}, nemesis.KillClient{})
	}
	if c.Workload == nil {
		c.Workload, c.Invariant, c.workload = workloads.Counter{}, invariant.Counter{}, ours
	}
	if c.Clients <= 0 {
		c.Clients = 3
	}
	if c.Duration <= 0 {
		c.Duration = 10 * time.Second
	}
	if c.TTL <= 0 {
		c.TTL = 2 * time.Second
	}
	if c.Traits.Model == "" {
		c.Traits.Model = "mutex"
	}
	return c
}
