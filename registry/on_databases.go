package registry

import (
	"context"
	"fmt"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/mysql"
	"locktorture/locks/postgres"
)

// onMariaDB returns a backend on one MariaDB.
func onMariaDB(about string, t locks.Traits, probe func([]mysql.Node) *mysql.Probe, open func(mysql.Config) locks.Locker) Backend {
	return Backend{
		About: about, Tables: true, Topology: "mariadb", Traits: t, ProbeWith: probeMariaDB(probe), Retry: 10 * time.Millisecond,
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			return open(mysqlConfig(a, a.Endpoints[0])), nil
		},
	}
}

// replicatedOn returns the backend with a topology on which it can suffer a fail-over.
func (b Backend) replicatedOn(topology string) Backend {
	b.Replicated = topology
	return b
}

// onGalera returns a backend on a Galera cluster. Its servers are not probed, because
// connections to different nodes may have the same number, and because a row reaches the other
// nodes a moment later.
func onGalera(about string, t locks.Traits, open func(mysql.Config) locks.Locker) Backend {
	b := onMariaDB(about, t, nil, open)
	b.Topology = "galera-3"
	return b
}

func mysqlConfig(a Args, addr string) mysql.Config {
	return mysql.Config{Addr: addr, Prefix: a.Prefix, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock}
}

// probeMariaDB returns a function that probes every MariaDB of a cluster directly, not through the
// proxies; nil if probe is nil.
func probeMariaDB(probe func([]mysql.Node) *mysql.Probe) func(*cluster.Cluster, Args) (locks.Prober, error) {
	if probe == nil {
		return nil
	}
	return func(c *cluster.Cluster, a Args) (locks.Prober, error) {
		var nodes []mysql.Node
		for _, n := range c.Nodes {
			nodes = append(nodes, mysql.Node{Name: n.Name(), Addr: n.Addr(), Prefix: a.Prefix, Access: a.Access})
		}
		return probe(nodes), nil
	}
}

// probeRedisMySQL probes both servers of a double write.
func probeRedisMySQL(c *cluster.Cluster, a Args) (locks.Prober, error) {
	if len(c.Nodes) != 2 {
		return nil, fmt.Errorf("a double write has two servers, not %d", len(c.Nodes))
	}
	r, d := c.Nodes[0], c.Nodes[1]
	return mysql.NewRedisMySQLProbe(mysql.Node{Name: r.Name(), Addr: r.Addr()}, mysql.Node{Name: d.Name(), Addr: d.Addr()}), nil
}

// mysqlPooled returns the backend with the option "pooled": GET_LOCK and RELEASE_LOCK then go
// through a connection pool.
func mysqlPooled(b Backend) Backend {
	return pooledBy(b, func(a Args) locks.Locker { return mysql.NewGetLockPooled(mysqlConfig(a, a.Endpoints[0])) })
}

// onPostgres returns a backend on a PostgreSQL, with or without a pooler in front of it.
func onPostgres(about string, t locks.Traits, probe func(*cluster.Cluster, Args) (locks.Prober, error), open func(postgres.Config) locks.Locker) Backend {
	return Backend{
		About: about, Traits: t, ProbeWith: probe,
		Open: func(_ context.Context, a Args) (locks.Locker, error) { return open(postgresConfig(a)), nil },
	}
}

// keepingRows returns a backend that keeps rows in a table of its own.
func (b Backend) keepingRows() Backend {
	b.Tables = true
	return b
}

// on returns the backend with its topology and with further topologies on which it can run.
func (b Backend) on(topology string, elsewhere ...string) Backend {
	b.Topology, b.Elsewhere = topology, elsewhere
	return b
}

func postgresConfig(a Args) postgres.Config {
	return postgres.Config{Addr: a.Endpoints[0], Prefix: a.Prefix, Owner: a.Owner, Access: a.Access}
}

// probePostgres probes the PostgreSQL directly, not through proxies or poolers.
func probePostgres(c *cluster.Cluster, a Args) (locks.Prober, error) {
	return postgres.NewProbeWith(postgres.Config{Addr: c.Nodes[0].Addr(), Access: a.Access}, c.Nodes[0].Name()), nil
}

// postgresPooled returns the backend with the option "pooled", as mysqlPooled does, and with the
// option "kept": a connection on which a request was given up then returns to the pool, where the
// next request finds it.
func postgresPooled(b Backend) Backend {
	pooled := pooledBy(b, func(a Args) locks.Locker { return postgres.NewAdvisoryPooled(postgresConfig(a)) })
	open := pooled.Open
	pooled.Open = func(ctx context.Context, a Args) (locks.Locker, error) {
		if a.Options["kept"] == "true" {
			return postgres.NewAdvisoryKept(postgresConfig(a)), nil
		}
		return open(ctx, a)
	}
	return pooled
}

func pooledBy(b Backend, pooled func(a Args) locks.Locker) Backend {
	pinned := b.Open
	b.Open = func(ctx context.Context, a Args) (locks.Locker, error) {
		if a.Options["pooled"] == "true" {
			return pooled(a), nil
		}
		return pinned(ctx, a)
	}
	return b
}
