package main

import (
	"context"
	"slices"
	"strconv"

	"locktorture/cluster"
	"locktorture/cluster/embedded"
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
		_, _, err := provisionerFor(s.serverSpec, b.Replicated)
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

// roomFor are arguments for servers that admit few connections of their own
// accord (MariaDB 151, PostgreSQL 100), so that every client gets one or two.
func roomFor(clients int) map[string][]string {
	if clients <= 40 {
		return nil
	}
	n := strconv.Itoa(2*clients + 50)
	return map[string][]string{"mariadb": {"--max-connections=" + n}, "postgres": {"-c", "max_connections=" + n}}
}

// startCluster starts the servers of a run and says where they come from and why.
func startCluster(ctx context.Context, s *runSpec, b backend, dir *runDir) (*cluster.Cluster, string, error) {
	if b.Serve != nil {
		c, err := b.Serve()
		if err != nil {
			return nil, "", broken(err)
		}
		return c, "no servers: " + b.Without, nil
	}
	if s.Cluster == externalCluster {
		return joinCluster(ctx, s, b)
	}
	topology, err := topologyOf(*s, b)
	if err != nil {
		return nil, "", err
	}
	p, why, err := provisionerFor(s.serverSpec, topology)
	if err != nil {
		return nil, "", usage("--cluster %s: %v", s.Cluster, err)
	}
	if b.Real && p == (embedded.Provisioner{}) {
		return nil, "", usage("--cluster %s: %s needs real servers: it asks for what embedded ones do not have", s.Cluster, s.Backend)
	}
	links := s.Clients
	if s.direct() {
		links = 1
	}
	c, err := cluster.StartConfig(ctx, cluster.Config{
		Topology: topology, Provisioner: p, Clients: links, Dir: dir.path, Args: roomFor(s.Clients),
	})
	if err != nil {
		return nil, "", broken(err)
	}
	return c, topology + " on " + why, nil
}
