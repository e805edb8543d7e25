package main

import (
	"context"
	"slices"

	"locktorture/cluster"
)

// topologyOf picks the topology of a run: the one that is named, else the
// backend's own, or its replicated one where a fail-over is wanted.
func topologyOf(s runSpec, b backend) (string, error) {
	if s.Topology != "" {
		if s.Topology != b.Topology && s.Topology != b.Replicated {
			return "", usage("--topology %s: %s runs on %s", s.Topology, s.Backend, topologies(b))
		}
		return s.Topology, nil
	}
	wantsFailover := slices.Contains(s.Nemesis, "failover")
	if slices.Contains(s.Nemesis, "all") && b.Replicated != "" {
		_, _, err := provisionerFor(s.Cluster, b.Replicated)
		wantsFailover = err == nil
	}
	if wantsFailover && b.Replicated != "" {
		return b.Replicated, nil
	}
	return b.Topology, nil
}

func topologies(b backend) string {
	if b.Replicated != "" {
		return b.Topology + " or " + b.Replicated
	}
	return b.Topology
}

// startCluster starts the servers of a run and says where they come from and why.
func startCluster(ctx context.Context, s runSpec, b backend, dir *runDir) (*cluster.Cluster, string, error) {
	if b.Serve != nil {
		c, err := b.Serve()
		if err != nil {
			return nil, "", broken(err)
		}
		return c, "no servers: " + b.Without, nil
	}
	topology, err := topologyOf(s, b)
	if err != nil {
		return nil, "", err
	}
	p, why, err := provisionerFor(s.Cluster, topology)
	if err != nil {
		return nil, "", usage("--cluster %s: %v", s.Cluster, err)
	}
	links := s.Clients
	if s.direct() {
		links = 1
	}
	c, err := cluster.Start(ctx, topology, p, links, dir.path)
	if err != nil {
		return nil, "", broken(err)
	}
	return c, topology + " on " + why, nil
}
