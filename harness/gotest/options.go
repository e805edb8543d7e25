package gotest

import (
	"maps"
	"slices"
	"time"

	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/harness"
	"locktorture/nemesis"
)

// Bounds of the search for linearizability, and of what a safe must have seen.
const (
	checkTimeout = time.Minute
	checkMemory  = 1 << 30
	minGrants    = 20
)

func (cfg Config) options() checker.Options {
	t := cfg.Traits
	return checker.Options{
		Model: t.Model, Bounded: t.Bounded, Watched: t.Watched, Tokens: t.Token, Expires: t.LeastTTL > 0,
		TTL: cfg.TTL, FreeWithin: cfg.freeWithin(), Nemeses: slices.Sorted(maps.Keys(cfg.Nemeses)), MinGrants: minGrants,
		Timeout: checkTimeout, Memory: checkMemory,
	}
}

// freeWithin is what the lock declares, else three TTLs are asked of it.
func (cfg Config) freeWithin() time.Duration {
	if f := cfg.Traits.FreeWithin; f != nil {
		return f(cfg.TTL)
	}
	return 3 * cfg.TTL
}

func (cfg Config) fencing() string {
	if cfg.Traits.Token {
		return harness.FencingBoth
	}
	return harness.FencingOff
}

// worldOf shows the cluster to the faults.
func worldOf(c *cluster.Cluster, cfg Config) *nemesis.World {
	w := &nemesis.World{TTL: cfg.TTL, Quorum: c.Quorum, Clients: make([]nemesis.Client, cfg.Clients)}
	for _, n := range c.Nodes {
		w.Nodes = append(w.Nodes, n)
	}
	if len(c.Nodes) == 0 {
		return w
	}
	w.Link = func(client, node int) nemesis.Link {
		if l := c.Link(client, node); l != nil {
			return l
		}
		return nil
	}
	w.Peer = func(from, to int) nemesis.Link {
		if l := c.Peer(from, to); l != nil {
			return l
		}
		return nil
	}
	if c.Replicas != nil {
		w.Replication = c.Replicas
	}
	if c.HasLeader() {
		w.Leader = c.Leader
	}
	return w
}
