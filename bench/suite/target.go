package suite

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"locktorture/bench"
	"locktorture/bench/raw"
	"locktorture/cluster"
	"locktorture/cluster/toxiproxy"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/registry"
)

// bareOn names the bare commands (of bench/raw) for a topology.
func bareOn() map[string]string {
	return map[string]string{
		"redis": "redis", "redis-replicas": "redis", "redis-5": "redis-all",
		"redis-sentinel": "redis-sentinel", "redis-cluster": "redis-cluster",
		"mariadb": "mysql", "mariadb-replica": "mysql", "mariadb-3": "mysql-all", "redis-mariadb": "redis-mysql",
		"postgres": "postgres", "pgbouncer": "postgres", "pgbouncer-session": "postgres", "galera-3": "mysql", "memcached": "memcached", "zookeeper-3": "zookeeper", "etcd-3": "etcd", "consul-3": "consul", "s3": "s3",
	}
}

// sharedOn names the bare commands of a reader for a topology.
func sharedOn() map[string]string {
	return map[string]string{
		"redis": "redis-reader", "redis-replicas": "redis-reader", "mariadb": "mysql-share", "postgres": "postgres-shared",
		"zookeeper-3": "zookeeper", "etcd-3": "etcd-reader",
	}
}

// A benched is a backend on its running servers.
type benched struct {
	config  Config
	name    string
	backend registry.Backend
	cluster *cluster.Cluster
	where   string
}

// start starts the servers of a backend.
func (c Config) start(ctx context.Context, name string) (*benched, error) {
	b := c.Locks[name]
	on := &benched{config: c, name: name, backend: b}
	if b.Serve != nil {
		var err error
		on.cluster, err = b.Serve()
		on.where = "no servers: " + b.Without
		return on, err
	}
	p, why, err := c.Servers.For(b.Topology)
	if err != nil {
		return nil, err
	}
	on.where = b.Topology + " on " + why
	on.cluster, err = cluster.StartConfig(ctx, cluster.Config{Topology: b.Topology, Provisioner: p, Forward: toxiproxy.Forward, Args: bench.ServerArgs()})
	return on, err
}

// target is the backend in all ways in which it is to be measured.
func (on *benched) target() bench.Target {
	t := bench.Target{
		Backend: on.name, Where: on.where, Single: on.backend.Traits.Single, Held: 512,
	}
	for _, mode := range on.config.ModesOf(on.backend) {
		t.Ways = append(t.Ways, on.way(mode))
	}
	if on.backend.Traits.Validity == "connection" {
		t.Held = 32
	}
	var servers []bench.Server
	for _, n := range on.cluster.Nodes {
		t.Servers = append(t.Servers, n.Version())
		if i := strings.LastIndex(n.Name(), "-"); i >= 0 && on.cluster.Provisioner != "embedded" {
			servers = append(servers, bench.Server{Kind: n.Name()[:i], Addr: n.Addr()})
		}
	}
	slices.Sort(t.Servers)
	t.Servers = slices.Compact(t.Servers)
	t.Gauge = bench.GaugeOf(servers)
	return t
}

// way is all sides of the backend in one mode.
func (on *benched) way(mode string) bench.Way {
	w := bench.Way{Mode: mode, Lock: on.side(bench.LockSide, on.name, mode), Driver: on.driver(mode)}
	w.Bare, w.Commands = on.bare(mode)
	return w
}

// ttl returns the TTL of the locks: the configured one, or the backend's least TTL if that is
// longer.
func (on *benched) ttl(b registry.Backend) time.Duration {
	return max(on.config.TTL, b.Traits.LeastTTL)
}

// endpoints are the servers that a client is told of. A client of ZooKeeper stays with one of
// them, and whether that is the leader is half of the latency: client n of every side gets the
// same one.
func (on *benched) endpoints(client int) []string {
	all := on.cluster.Endpoints(0)
	if on.backend.Topology != "zookeeper-3" {
		return all
	}
	i := client % len(all)
	return all[i : i+1]
}

// side is a lock in this process, past the proxies; one that is a driver is in processes of
// its own.
func (on *benched) side(side, name, mode string) bench.Side {
	b := on.config.Locks[name]
	return bench.Side{Name: side, Mode: mode, Open: func(ctx context.Context, client int) (locks.Locker, error) {
		return b.Open(ctx, registry.Args{
			Endpoints: on.endpoints(client), TTL: on.ttl(b), Owner: fmt.Sprintf("%s-%d", side, client), Clock: locks.SystemClock{},
		})
	}}
}

// driver is the lock in processes of their own.
func (on *benched) driver(mode string) *bench.Side {
	if on.backend.Driver != nil {
		s := on.side(bench.DriverSide, on.name, mode)
		return &s
	}
	s := on.inDrivers(bench.DriverSide, on.name, mode)
	return &s
}

// inDrivers is a lock of ours in processes of their own.
func (on *benched) inDrivers(side, name, mode string) bench.Side {
	return bench.Side{Name: side, Mode: mode, Open: func(ctx context.Context, client int) (locks.Locker, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return driver.Start(ctx, driver.Command{Path: self, Args: []string{"driver"}}, driver.Open{
			Backend: name, Endpoints: on.endpoints(client), TTL: on.ttl(on.config.Locks[name]), Client: client, Process: client,
		})
	}}
}

// bare is the side of the bare commands of a mode, and what they are.
func (on *benched) bare(mode string) (*bench.Side, string) {
	name, common := cmp.Or(on.backend.Bare, bareOn()[on.backend.Topology]), false
	if mode == bench.Shared || mode == bench.Mixed {
		name, common = sharedOn()[on.backend.Topology], true
	}
	k, ok := raw.Kinds()[name]
	if !ok {
		return nil, "none are known"
	}
	return &bench.Side{Name: bench.BareSide, Common: common, Open: func(ctx context.Context, client int) (locks.Locker, error) {
		return k.Open(ctx, raw.Config{Endpoints: on.endpoints(client), TTL: on.ttl(on.backend)})
	}}, k.Commands
}
