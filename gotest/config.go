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

// A Config holds the settings of a run or a search. Only Traits is required.
type Config struct {
	Traits locks.Traits // declared traits, by which the lock is judged

	// Topology names the servers (cluster.Topologies). "" means "redis". A simulation supports only
	// "redis", "redis-5" and "etcd-3".
	Topology string
	Clients  int // default 3
	// Duration is the length of the phase with faults. 0 means 10 s, in a simulation three TTLs.
	Duration time.Duration
	// TTL is passed to the lock. 0 means 2 s, in a simulation 500 ms (on etcd 1 s), or Traits.LeastTTL if
	// that is longer.
	TTL     time.Duration
	Seed    uint64 // determines the work and the faults
	Options map[string]string
	// Dir is the directory in which each run gets a run directory with its history and its report,
	// and in which Search keeps its findings. "" means a temporary directory.
	Dir string

	// The following fields apply to Check and Run.

	Servers []string // directories of server programs that are not on PATH
	// Endpoints are the addresses of running servers. Faults cannot break the links to them.
	Endpoints []string
	Nemeses   map[string]nemesis.Nemesis // default: pause and kill-client
	Workload  workloads.Workload         // default: a counter
	// Invariant judges the state that the workload left. nil means the invariant of the counter; a
	// Workload of your own is then judged by none.
	Invariant checker.Invariant
	Stderr    io.Writer // log of the clients; nil: discarded

	// The following fields apply to Explore and Search.

	Find []string // kinds of anomalies; default: all that are the lock's fault
	// Kinds names kinds of faults (docs/explore.md). nil means pause, kill, hold, drop, reset,
	// reorder and stop, on etcd also blackout, compact, cut and fsync. Jumps of clocks and restarts of
	// servers without data are not among them, because they break most locks.
	Kinds  []string
	Trials int           // largest number of trials; default 100
	Budget time.Duration // ends the search earlier; 0: no limit
	// Hold is the time that a client works in a section, and Think the time that it rests between
	// two ("50ms", "20ms-60ms"). "" means 50ms and 20ms. A finding may be reduced with other times.
	Hold, Think string
	// Schedule is played instead of a search, with Clients, Duration, Seed, Hold and Think. It
	// lists the faults of a finding, one a line.
	Schedule string

	workload string // name of the workload, if it is the default
	test     string // name of the test; "": unknown
}

// ours is the default workload, and the only one that can be simulated.
const ours = "counter"

func (c Config) withDefaults() Config {
	if c.Topology == "" {
		c.Topology = "redis"
	}
	if c.Nemeses == nil {
		c.Nemeses = nemesis.Named(nemesis.Pause{}, nemesis.KillClient{})
	}
	if c.Workload == nil {
		c.Workload, c.workload = workloads.Counter{}, ours
		if c.Invariant == nil {
			c.Invariant = invariant.Counter{}
		}
	}
	if c.Clients <= 0 {
		c.Clients = 3
	}
	if c.Duration <= 0 {
		c.Duration = 10 * time.Second
	}
	if c.TTL <= 0 {
		c.TTL = max(2*time.Second, c.Traits.LeastTTL)
	}
	return c
}
