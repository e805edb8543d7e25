package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"locktorture/bench"
	"locktorture/bench/raw"
	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// bareOn names the bare commands (of bench/raw) for a topology.
func bareOn() map[string]string {
	return map[string]string{
		"redis": "redis", "redis-replicas": "redis", "redis-5": "redis-all",
		"redis-sentinel": "redis-sentinel", "redis-cluster": "redis-cluster",
		"mariadb": "mysql", "mariadb-replica": "mysql", "mariadb-3": "mysql-all", "redis-mariadb": "redis-mysql",
		"postgres": "postgres", "memcached": "memcached", "zookeeper-3": "zookeeper", "etcd-3": "etcd", "consul-3": "consul",
	}
}

// A benched is a backend on its running servers.
type benched struct {
	spec    benchSpec
	name    string
	backend backend
	cluster *cluster.Cluster
	where   string
}

// A notServedError says that nothing here can serve the backend's topology.
type notServedError struct{ error }

func notServed(err error) bool {
	var e notServedError
	return errors.As(err, &e)
}

// start starts the servers of a backend.
func (s benchSpec) start(ctx context.Context, name string) (*benched, error) {
	b := backends()[name]
	on := &benched{spec: s, name: name, backend: b}
	if b.Serve != nil {
		c, err := b.Serve()
		on.cluster, on.where = c, "no servers: "+b.Without
		return on, err
	}
	p, why, err := provisionerFor(s.serverSpec, b.Topology)
	if err != nil {
		return nil, notServedError{err}
	}
	on.where = b.Topology + " on " + why
	on.cluster, err = cluster.StartConfig(ctx, cluster.Config{Topology: b.Topology, Provisioner: p, Args: bench.ServerArgs()})
	return on, err
}

// target is all sides of the backend.
func (on *benched) target() bench.Target {
	t := bench.Target{
		Backend: on.name, Where: on.where, Lock: on.side(bench.LockSide, on.name), Driver: on.driver(), Held: 512,
	}
	if on.backend.Traits.Validity == "connection" {
		t.Held = 32
	}
	t.Bare, t.Commands = on.bare()
	var servers []bench.Server
	for _, n := range on.cluster.Nodes {
		t.Servers = append(t.Servers, n.Version())
		if kind, _, ok := cutLast(n.Name(), "-"); ok && on.cluster.Provisioner != "embedded" {
			servers = append(servers, bench.Server{Kind: kind, Addr: n.Addr()})
		}
	}
	slices.Sort(t.Servers)
	t.Servers = slices.Compact(t.Servers)
	t.Gauge = bench.GaugeOf(servers)
	return t
}

// cutLast is strings.Cut around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// ttl is that of the flags, or the least that a backend takes.
func (on *benched) ttl(b backend) time.Duration { return max(on.spec.TTL, b.Traits.LeastTTL) }

// endpoints are the servers that a client is told of. A client of ZooKeeper stays with one of them, and
// whether that is the leader is half of the latency: client n of every side gets the same one.
func (on *benched) endpoints(client int) []string {
	all := on.cluster.Endpoints(0)
	if on.backend.Topology != "zookeeper-3" {
		return all
	}
	i := client % len(all)
	return all[i : i+1]
}

// side is a lock in this process, past the proxies.
func (on *benched) side(side, name string) bench.Side {
	b := backends()[name]
	return bench.Side{Name: side, Open: func(ctx context.Context, client int) (locks.Locker, error) {
		return b.Open(ctx, lockArgs{
			Endpoints: on.endpoints(client), TTL: on.ttl(b), Owner: fmt.Sprintf("%s-%d", side, client), Clock: locks.SystemClock{},
		})
	}}
}

// driver is the lock in processes of their own.
func (on *benched) driver() *bench.Side {
	return &bench.Side{Name: bench.DriverSide, Open: func(ctx context.Context, client int) (locks.Locker, error) {
		if on.backend.Driver != nil {
			return on.backend.Open(ctx, lockArgs{Endpoints: on.endpoints(client), TTL: on.ttl(on.backend)})
		}
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return driver.Start(ctx, driver.Command{Path: self, Args: []string{"driver"}}, driver.Open{
			Backend: on.name, Endpoints: on.endpoints(client), TTL: on.ttl(on.backend), Client: client, Process: client,
		})
	}}
}

// bare is the side of the bare commands, and what they are.
func (on *benched) bare() (*bench.Side, string) {
	k, ok := raw.Kinds()[cmp.Or(on.backend.Bare, bareOn()[on.backend.Topology])]
	if !ok {
		return nil, "none are known"
	}
	return &bench.Side{Name: bench.BareSide, Open: func(ctx context.Context, client int) (locks.Locker, error) {
		return k.Open(ctx, raw.Config{Endpoints: on.endpoints(client), TTL: on.ttl(on.backend)})
	}}, k.Commands
}

// peers compares our locks with libraries, where both were measured.
func (s benchSpec) peers(ctx context.Context, served []string, p bench.Plan, say func(string)) (out []bench.Peer) {
	some := bench.Plan{Clients: p.Clients}
	if n := len(p.Waiters); n > 0 {
		some.Waiters = p.Waiters[n/2 : n/2+1]
	}
	all := backends()
	for _, ours := range slices.Sorted(maps.Keys(all)) {
		theirs := all[ours].Peer
		if ctx.Err() != nil || !slices.Contains(served, ours) || !slices.Contains(served, theirs) {
			continue
		}
		out = append(out, s.peer(ctx, ours, theirs, some, say))
	}
	return out
}

func (s benchSpec) peer(ctx context.Context, ours, theirs string, p bench.Plan, say func(string)) bench.Peer {
	failed := func(err error) bench.Peer {
		return bench.Peer{Ours: ours, Theirs: theirs, Errors: []string{err.Error()}}
	}
	if a, b := backends()[ours].Topology, backends()[theirs].Topology; a != b {
		return failed(fmt.Errorf("one runs on %s, the other on %s", a, b))
	}
	on, err := s.start(ctx, ours)
	if err != nil {
		return failed(err)
	}
	out := bench.MeasurePeer(ctx, s.config(), p, on.side(theirs, theirs), on.side(ours, ours), nil, say)
	if err := on.cluster.Close(); err != nil {
		out.Errors = append(out.Errors, err.Error())
	}
	return out
}
