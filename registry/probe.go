package registry

import (
	"context"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/redis"
)

// probeRedis probes every Redis of a cluster directly, not through the proxies.
func probeRedis(c *cluster.Cluster, a Args) (locks.Prober, error) {
	return ofPrimary(c, redis.NewProbe(redisNodes(c, a), 0)), nil
}

// redisNodes returns the Redis servers of a cluster in the form that a probe needs.
func redisNodes(c *cluster.Cluster, a Args) []redis.Node {
	var nodes []redis.Node
	for _, n := range c.Nodes {
		if !strings.HasPrefix(n.Name(), "redis") {
			continue // a sentinel
		}
		nodes = append(nodes, redis.Node{Name: n.Name(), Addr: n.Addr(), Access: a.Access})
	}
	return nodes
}

// ofPrimary restricts a probe to the primary, if the cluster replicates data.
func ofPrimary(c *cluster.Cluster, probe locks.Prober) locks.Prober {
	if c.Replicas == nil {
		return probe
	}
	return &primaryProbe{probe: probe, primary: func() string { return c.Nodes[c.Replicas.Primary()].Name() }}
}

// A primaryProbe ignores replicas, because only the primary's state of a lock counts.
type primaryProbe struct {
	probe   locks.Prober
	primary func() string
}

// Probe returns the sight of the current primary. It returns nothing if the primary changes during
// the probe.
func (p *primaryProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	before := p.primary()
	sights, err := p.probe.Probe(ctx, name)
	if p.primary() != before {
		return nil, nil // the primary has changed meanwhile, so nothing is certain
	}
	return slices.DeleteFunc(sights, func(s locks.Sight) bool { return s.Node != before }), err
}

// Close closes the connections.
func (p *primaryProbe) Close() error { return p.probe.Close() }
