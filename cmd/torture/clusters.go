package main

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"locktorture/cluster"
	"locktorture/nemesis"
	"locktorture/registry"
	"locktorture/trial"
)

// topologyOf picks the topology of a run: the one that is named, else the
// backend's own, or its replicated one where a fail-over is wanted.
func topologyOf(s runSpec, b registry.Backend) (string, error) {
	if s.Topology != "" {
		return s.topologyOn(b)
	}
	wantsFailover := registry.AnyFault(s.Nemesis, func(t nemesis.Traits) bool { return t.NeedsReplicas })
	if slices.Contains(s.Nemesis, "all") && b.Replicated != "" {
		_, _, err := s.For(b.Replicated)
		wantsFailover = err == nil
	}
	if wantsFailover && b.Replicated != "" {
		return b.Replicated, nil
	}
	return b.Topology, nil
}

// topologyOn is the topology that is named, if it is one of the backend's, else the backend's own.
func (s lockSpec) topologyOn(b registry.Backend) (string, error) {
	switch s.Topology {
	case "":
		return b.Topology, nil
	case b.Topology, b.Replicated:
		return s.Topology, nil
	}
	return "", usage("--topology %s: %s runs on %s", s.Topology, s.name(), b.RunsOn())
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

// servers starts the servers of a run.
func (s *runSpec) servers(ctx context.Context, b registry.Backend, d *trial.Dir) (trial.Servers, error) {
	c, why, err := startCluster(ctx, s, b, d.Path)
	if err != nil {
		return trial.Servers{}, err
	}
	return trial.Servers{Cluster: c, Why: why, Leave: func(bool) error { return c.Close() }}, nil
}

// startCluster starts the servers of a run and says where they come from and why. Their logs go below dir.
func startCluster(ctx context.Context, s *runSpec, b registry.Backend, dir string) (*cluster.Cluster, string, error) {
	if b.Serve == nil && s.Cluster == registry.Theirs {
		return joinCluster(ctx, s, b)
	}
	topology := ""
	if b.Serve == nil {
		var err error
		if topology, err = topologyOf(*s, b); err != nil {
			return nil, "", err
		}
	}
	links := s.Clients
	if s.direct() {
		links = 1
	}
	c, why, err := s.Start(ctx, b, cluster.Config{Topology: topology, Clients: links, Dir: dir, Args: roomFor(s.Clients)})
	if err != nil {
		return nil, "", servedNot(err, "--cluster "+s.Cluster)
	}
	return c, why, nil
}

// servedNot is an error of starting servers: the user's if nothing can serve what the flag asks for.
func servedNot(err error, flag string) error {
	var e *registry.NotServedError
	if errors.As(err, &e) {
		return usage("%s: %v", flag, e)
	}
	return broken(err)
}
