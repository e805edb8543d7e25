package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/redis"
	"locktorture/locks/redlock"
	"locktorture/locks/thirdparty"
)

// A lockArgs is what a backend is opened with.
type lockArgs struct {
	Endpoints []string
	TTL       time.Duration
	Owner     string // begins every owner value on a server
	Clock     locks.Clock
	Options   map[string]string
	Access    *locks.Access // nil: the servers are open to everybody
	Prefix    string        // of every key; "": none
}

// duration reads an option; 0 if it is not there.
func (a lockArgs) duration(option string) (time.Duration, error) {
	text, ok := a.Options[option]
	if !ok {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("option %s: %w", option, err)
	}
	return d, nil
}

// A backend is a lock that can be tortured: where it runs, what it declares,
// how one client of it is opened, and how the harness looks at its servers.
type backend struct {
	About    string
	Topology string // of the cluster; "" for a lock that needs no server
	// Replicated is the topology with a primary that can fail over; "" if the lock has none.
	Replicated string
	// Serve makes what a lock without servers needs, and Without says why it has none.
	Serve   func() (*cluster.Cluster, error)
	Without string
	Traits  locks.Traits
	Open    func(ctx context.Context, a lockArgs) (locks.Locker, error)
	// ProbeWith looks at the servers; nil: they cannot be asked. Prober does so where they are open
	// to everybody, or as through says.
	ProbeWith func(c *cluster.Cluster, a lockArgs) (locks.Prober, error)
	Prober    func(c *cluster.Cluster) (locks.Prober, error)
	Tables    bool          // it keeps rows: a prefix is that of its tables, not of its locks
	Retry     time.Duration // longest pause between two tries of a waiter
	Control   bool          // the control that is never accused
	Real      bool          // it asks for what embedded servers do not have
	// External is the program of a lock that is a driver; its Traits are known once it was asked.
	External *external
}

// ownBackends is the registry of the locks of this repository.
func ownBackends() map[string]backend {
	all := map[string]backend{
		"none": {
			About: "control: grants everything", Without: "the lock grants everything by itself",
			Serve: noServers, Traits: control.NoneTraits(),
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) { return control.NewNone(a.Owner), nil },
		},
		"process-local": {
			About: "control: a mutex of the client's own process", Without: "the lock is a mutex of each client's own process",
			Serve: noServers, Traits: control.ProcessLocalTraits(),
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
				return control.NewProcessLocal(a.Owner), nil
			},
		},
		"local": {
			About: "control: a lock server inside the harness, never accused", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalTraits(), ProbeWith: probeLocal, Control: true,
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
				return control.NewLocal(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
		"redis-setnx": onRedis("SETNX and plain DEL, no expiry", redis.SetNXTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSetNX(c) }),
		"redis-set": onRedis("SET NX PX, a random value, compare-and-delete in Lua", redis.SetTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSet(c) }),
		"redis-watchdog": redisWatchdog(),
		"redis-fenced": onRedis("redis-set with a fencing token from INCR in the same script", redis.FencedTraits(),
			func(c redis.Config) locks.Locker { return redis.NewFenced(c) }),
		"redlock":         onFive("five nodes in parallel, quorum, validity = TTL - elapsed - drift", redlock.Traits(), redlock.New),
		"redlock-nocheck": onFive("redlock without its elapsed-time check: a mutant", redlock.NoCheckTraits(), redlock.NewNoCheck),
		"etcd-concurrency": {
			About: "go.etcd.io/etcd/client/v3/concurrency: Session and Mutex, as they are", Topology: "etcd-3",
			Traits: thirdparty.EtcdConcurrencyTraits(), ProbeWith: probeEtcd,
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
				c := thirdparty.EtcdConfig{Endpoints: a.Endpoints, TTL: a.TTL, Access: a.Access, KeepSession: keepsSession(a)}
				if a.Options["session"] == "shared" {
					c.Session = sharedSession
				}
				return thirdparty.NewEtcdConcurrency(c)
			},
		},
	}
	maps.Copy(all, redisBackends())
	maps.Copy(all, consensusBackends())
	maps.Copy(all, databaseBackends())
	for name, b := range all {
		all[name] = b.through(lockArgs{})
	}
	return all
}

// through is a backend whose servers are looked at with an access and a prefix.
func (b backend) through(a lockArgs) backend {
	if b.ProbeWith == nil {
		return b
	}
	b.Prober = func(c *cluster.Cluster) (locks.Prober, error) {
		p, err := b.ProbeWith(c, a)
		if err != nil || b.Tables {
			return p, err
		}
		return locks.ProbeWithin(a.Prefix, p), nil
	}
	return b
}

// sharedSession is the lease of the session that clients share on request.
const sharedSession = 0x5e55109

// onFive is a backend on five independent Redis.
func onFive(about string, t locks.Traits, open func(redlock.Config) *redlock.Redlock) backend {
	return backend{
		About: about, Topology: "redis-5", Traits: t, ProbeWith: probeRedis, Retry: 30 * time.Millisecond,
		Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
			timeout, err := a.duration("node-timeout")
			if err != nil {
				return nil, err
			}
			return open(redlock.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, NodeTimeout: timeout}), nil
		},
	}
}

// probeEtcd looks at the cluster as a whole: any member answers for all.
func probeEtcd(c *cluster.Cluster, a lockArgs) (locks.Prober, error) {
	return thirdparty.NewEtcdProbeWith(thirdparty.EtcdConfig{Endpoints: c.Endpoints(0), Access: a.Access}, "etcd")
}

// onRedis is a backend on one Redis, or on a primary with replicas.
func onRedis(about string, t locks.Traits, open func(redis.Config) locks.Locker) backend {
	return backend{
		About: about, Topology: "redis", Replicated: "redis-replicas", Traits: t, ProbeWith: probeRedis, Retry: 10 * time.Millisecond,
		Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
			timeout, err := a.duration("timeout")
			if err != nil {
				return nil, err
			}
			return open(redis.Config{Addr: a.Endpoints[0], TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, Timeout: timeout}), nil
		},
	}
}

func noServers() (*cluster.Cluster, error) { return cluster.Bare("none", nil, nil), nil }

// serveLocal starts the lock server of the control.
func serveLocal() (*cluster.Cluster, error) {
	s, err := control.ListenLocal()
	if err != nil {
		return nil, err
	}
	return cluster.Bare("local", []string{s.Addr()}, s.Close), nil
}

func probeLocal(c *cluster.Cluster, a lockArgs) (locks.Prober, error) {
	return control.NewLocalProbe(c.Endpoints(0)[0], "local"), nil
}

// probeRedis looks at every Redis of a cluster itself, past the proxies.
func probeRedis(c *cluster.Cluster, a lockArgs) (locks.Prober, error) {
	return ofPrimary(c, redis.NewProbe(redisNodes(c, a), 0)), nil
}

// redisNodes are the Redis servers of a cluster, as a probe asks them.
func redisNodes(c *cluster.Cluster, a lockArgs) []redis.Node {
	var nodes []redis.Node
	for _, n := range c.Nodes {
		if !strings.HasPrefix(n.Name(), "redis") {
			continue // a sentinel
		}
		nodes = append(nodes, redis.Node{Name: n.Name(), Addr: n.Addr(), Access: a.Access})
	}
	return nodes
}

// ofPrimary narrows a probe to what the primary says, where there is one.
func ofPrimary(c *cluster.Cluster, probe locks.Prober) locks.Prober {
	if c.Replicas == nil {
		return probe
	}
	return &primaryProbe{probe: probe, primary: func() string { return c.Nodes[c.Replicas.Primary()].Name() }}
}

// A primaryProbe leaves out what replicas say: a lock is what its primary says it is.
type primaryProbe struct {
	probe   locks.Prober
	primary func() string
}

// Probe returns what the present primary says of the lock.
func (p *primaryProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	before := p.primary()
	sights, err := p.probe.Probe(ctx, name)
	if p.primary() != before {
		return nil, nil // it changed meanwhile: nothing certain was seen
	}
	return slices.DeleteFunc(sights, func(s locks.Sight) bool { return s.Node != before }), err
}

// Close closes the connections.
func (p *primaryProbe) Close() error { return p.probe.Close() }
