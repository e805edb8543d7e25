package main

import (
	"context"
	"errors"
	"fmt"

	"locktorture/cluster"
	"locktorture/report"
	"locktorture/workloads"
	"locktorture/workloads/stores/file"
	"locktorture/workloads/stores/mysql"
	"locktorture/workloads/stores/postgres"
	"locktorture/workloads/stores/redis"
)

// A store is a resource that a lock can protect. One with a topology gets a
// server of its own, which no fault strikes: what goes wrong in it is the lock's doing.
type store struct {
	About    string
	Topology string // "": it needs no server
	Open     func(ctx context.Context, addr, dir string) (workloads.Resource, error)
}

// stores is the registry of stores.
func stores() map[string]store {
	return map[string]store{
		"memory": {
			About: "a map under a mutex, in the harness: linearizable by construction",
			Open:  func(context.Context, string, string) (workloads.Resource, error) { return &workloads.Memory{}, nil },
		},
		"file": {
			About: "real files, one for each lock, the mark in the header",
			Open:  func(_ context.Context, _, dir string) (workloads.Resource, error) { return file.Open(dir) },
		},
		"redis": {
			About: "Redis, the mark checked in the script that reads or writes", Topology: "redis",
			Open: func(ctx context.Context, addr, _ string) (workloads.Resource, error) { return redis.Open(ctx, addr) },
		},
		"mysql": {
			About: "MySQL or MariaDB, the mark a row locked in the same transaction", Topology: "mariadb",
			Open: func(ctx context.Context, addr, _ string) (workloads.Resource, error) { return mysql.Open(ctx, addr) },
		},
		"postgres": {
			About: "PostgreSQL, the mark a row locked in the same transaction", Topology: "postgres",
			Open: func(ctx context.Context, addr, _ string) (workloads.Resource, error) { return postgres.Open(ctx, addr) },
		},
	}
}

// storeOf is the store that a run works on: the one that is named, or the workload's own.
func storeOf(s runSpec) string {
	if s.Store != "" {
		return s.Store
	}
	if own := workloadsByName()[s.Workload].Store; own != "" {
		return own
	}
	return "memory"
}

// An openStore is a store that serves a run, with its server.
type openStore struct {
	workloads.Resource
	servers  *cluster.Cluster // nil if it needs none
	versions []report.Version
}

// startStore starts the server of a store and opens it.
func startStore(ctx context.Context, s runSpec, dir *runDir) (*openStore, error) {
	entry, place := stores()[s.Store], dir.file("store")
	o, addr := &openStore{}, ""
	if entry.Topology != "" {
		from := s.serverSpec
		if from.Cluster == externalCluster { // a store is ours
			from.Cluster = "auto"
		}
		p, _, err := provisionerFor(from, entry.Topology)
		if err != nil {
			return nil, usage("--store %s: %v", s.Store, err)
		}
		if o.servers, err = cluster.Start(ctx, entry.Topology, p, 1, place); err != nil {
			return nil, broken(fmt.Errorf("store %s: %w", s.Store, err))
		}
		node := o.servers.Nodes[0]
		addr = node.Addr()
		o.versions = []report.Version{{Name: "store " + s.Store, Version: node.Version()}}
	}
	var err error
	if o.Resource, err = entry.Open(ctx, addr, place); err != nil {
		return nil, broken(errors.Join(err, o.stop()))
	}
	return o, nil
}

// Close closes the store and ends its server.
func (o *openStore) Close() error { return errors.Join(o.Resource.Close(), o.stop()) }

func (o *openStore) stop() error {
	if o.servers == nil {
		return nil
	}
	return o.servers.Close()
}
