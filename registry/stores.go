package registry

import (
	"context"
	"errors"
	"fmt"

	"locktorture/cluster"
	"locktorture/workloads"
	"locktorture/workloads/stores/file"
	"locktorture/workloads/stores/mysql"
	"locktorture/workloads/stores/postgres"
	"locktorture/workloads/stores/redis"
)

// A Store is a resource that a lock can protect. A store with a topology gets a
// server of its own. No fault strikes this server, so the lock is to blame for
// whatever goes wrong in the store.
type Store struct {
	About    string
	Topology string // "": it needs no server
	Open     func(ctx context.Context, addr, dir string) (workloads.Resource, error)
}

// Stores returns the stores by name.
func Stores() map[string]Store {
	return map[string]Store{
		"memory": {
			About: "a map under a mutex in the harness, which makes it linearizable",
			Open:  func(context.Context, string, string) (workloads.Resource, error) { return &workloads.Memory{}, nil },
		},
		"file": {
			About: "real files, one for each lock; the header has the highest token so far",
			Open:  func(_ context.Context, _, dir string) (workloads.Resource, error) { return file.Open(dir) },
		},
		"redis": {
			About: "Redis; the script that reads or writes also checks the highest token so far", Topology: "redis",
			Open: func(ctx context.Context, addr, _ string) (workloads.Resource, error) { return redis.Open(ctx, addr) },
		},
		"mysql": {
			About: "MySQL or MariaDB; a row, locked in the same transaction, has the highest token so far", Topology: "mariadb",
			Open: func(ctx context.Context, addr, _ string) (workloads.Resource, error) { return mysql.Open(ctx, addr) },
		},
		"postgres": {
			About: "PostgreSQL; a row, locked in the same transaction, has the highest token so far", Topology: "postgres",
			Open: func(ctx context.Context, addr, _ string) (workloads.Resource, error) { return postgres.Open(ctx, addr) },
		},
	}
}

// usualStore is the store of a workload that names none.
const usualStore = "memory"

// StoreOf returns the name of the store that a workload uses if the user names none.
func StoreOf(workload string) string {
	if own := Workloads()[workload].Store; own != "" {
		return own
	}
	return usualStore
}

// An OpenStore is the open store of a run with its server.
type OpenStore struct {
	workloads.Resource
	Version string           // version of its server; "" if it needs no server
	servers *cluster.Cluster // nil if it needs no server
}

// OpenStore starts the server of a store, if it needs one, and opens the store. The
// harness always starts this server itself: if the user runs the other servers, its
// provisioner is chosen automatically. The error is a NotServedError if no provisioner
// can serve the store.
func (s Servers) OpenStore(ctx context.Context, name, dir string) (*OpenStore, error) {
	entry := Stores()[name]
	o, addr := &OpenStore{}, ""
	if entry.Topology != "" {
		if s.Cluster == Theirs {
			s.Cluster = Automatic
		}
		p, _, err := s.For(entry.Topology)
		if err != nil {
			return nil, err
		}
		if o.servers, err = cluster.Start(ctx, entry.Topology, p, 1, dir); err != nil {
			return nil, fmt.Errorf("store %s: %w", name, err)
		}
		node := o.servers.Nodes[0]
		addr, o.Version = node.Addr(), node.Version()
	}
	var err error
	if o.Resource, err = entry.Open(ctx, addr, dir); err != nil {
		return nil, errors.Join(err, o.stop())
	}
	return o, nil
}

// Close closes the store and ends its server.
func (o *OpenStore) Close() error { return errors.Join(o.Resource.Close(), o.stop()) }

func (o *OpenStore) stop() error {
	if o.servers == nil {
		return nil
	}
	return o.servers.Close()
}
