package cluster

import (
	"context"
	"slices"
)

// Bare returns a cluster without servers and links, for locks without a server and for a lock
// server inside this process. Every client dials the same endpoints. done may be nil.
func Bare(topology string, endpoints []string, done func() error) *Cluster {
	c := &Cluster{
		Topology: topology, Provisioner: "none", Quorum: 1,
		endpoints: func(int) []string { return slices.Clone(endpoints) },
	}
	if done != nil {
		c.closers = append(c.closers, func(context.Context) error { return done() })
	}
	return c
}
