package locktest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/mysql"
)

// mysqlConfig returns how the clients of all suites are opened.
func mysqlConfig(addr, owner string) mysql.Config {
	return mysql.Config{Addr: addr, TTL: ttl, Owner: owner, Timeout: 5 * time.Second, Grace: time.Second} // a busy machine
}

// databases connects to servers themselves.
func databases(t *testing.T, addrs ...string) []*sql.DB {
	t.Helper()
	var all []*sql.DB
	for _, addr := range addrs {
		cfg := driver.NewConfig()
		cfg.Net, cfg.Addr, cfg.User, cfg.InterpolateParams = "tcp", addr, "root", true
		c, err := driver.NewConnector(cfg)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(c)
		t.Cleanup(func() { db.Close() })
		all = append(all, db)
	}
	return all
}

// revokeBy runs a statement with the name of the lock on all databases.
func revokeBy(statement string, all ...*sql.DB) func(context.Context, string) error {
	return func(ctx context.Context, name string) error {
		for _, db := range all {
			if _, err := db.ExecContext(ctx, statement, name); err != nil {
				return err
			}
		}
		return nil
	}
}

// killAll ends the connections that a query finds, from another one.
func killAll(db *sql.DB, query string) func(context.Context, string) error {
	return func(ctx context.Context, name string) error {
		rows, err := db.QueryContext(ctx, query, name)
		if err != nil {
			return err
		}
		var ids []int64
		for rows.Next() {
			var id sql.NullInt64
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id.Int64)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := db.ExecContext(ctx, fmt.Sprintf("KILL %d", id)); err != nil && !strings.Contains(err.Error(), "Unknown thread") {
				return err
			}
		}
		return nil
	}
}

// others finds the connections of all clients but this one, whatever the lock is called.
const others = "SELECT id FROM information_schema.processlist WHERE user = 'root' AND ? <> '' AND id <> CONNECTION_ID()"

// used finds the connection that has a user-level lock.
const used = "SELECT IS_USED_LOCK(?)"

func TestMySQL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		open   func(mysql.Config) locks.Locker
		traits locks.Traits
		probe  func([]mysql.Node) *mysql.Probe
		free   string // a statement that frees the lock
		kill   string // or a query that finds whose connection to end
		broken map[string]string
	}{
		{name: "mysql-unique", open: func(c mysql.Config) locks.Locker { return mysql.NewUnique(c) }, traits: mysql.UniqueTraits(),
			probe: mysql.NewUniqueProbe, free: "DELETE FROM torture.lock_unique WHERE name = ?"},
		{name: "mysql-unique-ttl", open: func(c mysql.Config) locks.Locker { return mysql.NewUniqueTTL(c) }, traits: mysql.UniqueTTLTraits(),
			probe: mysql.NewTTLProbe, free: "UPDATE torture.lock_ttl SET owner = NULL, count = 0, expires = NULL WHERE name = ?"},
		{name: "mysql-optimistic", open: func(c mysql.Config) locks.Locker { return mysql.NewOptimistic(c) }, traits: mysql.OptimisticTraits(),
			probe: mysql.NewOptimisticProbe, free: "UPDATE torture.lock_version SET owner = NULL, expires = NULL WHERE name = ?"},
		{name: "mysql-for-update", open: func(c mysql.Config) locks.Locker { return mysql.NewForUpdate(c) }, traits: mysql.ForUpdateTraits(), kill: others},
		{name: "mysql-for-update-norow", open: func(c mysql.Config) locks.Locker { return mysql.NewForUpdateNoRow(c) }, traits: mysql.ForUpdateTraits(),
			broken: map[string]string{
				"exclusion":     "the locks on the gap where the row would be do not exclude each other",
				"try":           "as exclusion",
				"deadline":      "as exclusion",
				"hand-over":     "as exclusion",
				"cancel":        "as exclusion",
				"release-twice": "as exclusion",
			}},
		{name: "mysql-for-update-noindex", open: func(c mysql.Config) locks.Locker { return mysql.NewForUpdateNoIndex(c) }, traits: mysql.ForUpdateTraits(), kill: others},
		{name: "mysql-shared", open: func(c mysql.Config) locks.Locker { return mysql.NewShared(c) }, traits: mysql.SharedTraits(), kill: others},
		{name: "mysql-get-lock", open: func(c mysql.Config) locks.Locker { return mysql.NewGetLock(c) }, traits: mysql.GetLockTraits(),
			probe: mysql.NewGetLockProbe, kill: used},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "mariadb")
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(mysqlConfig(endpoints[0], owner)), nil
			})
			db := databases(t, w.cluster.Endpoints(0)...)[0]
			if tt.probe != nil {
				s.Prober = w.mysqlProbe(tt.probe)
			}
			if tt.free != "" {
				s.Revoke = revokeBy(tt.free, db)
			}
			if tt.kill != "" {
				s.Revoke = killAll(db, tt.kill)
			}
			s.KnownBroken = tt.broken
			locktest.Run(t, s)
		})
	}
}

// mysqlProbe looks at all nodes.
func (w *world) mysqlProbe(probe func([]mysql.Node) *mysql.Probe) *mysql.Probe {
	var nodes []mysql.Node
	for _, n := range w.cluster.Nodes {
		nodes = append(nodes, mysql.Node{Name: n.Name(), Addr: n.Addr()})
	}
	p := probe(nodes)
	w.t.Cleanup(func() { p.Close() })
	return p
}

func TestMySQLQuorum(t *testing.T) {
	t.Parallel()
	w := start(t, "mariadb-3")
	s := w.suite(mysql.QuorumTraits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return mysql.NewQuorum(endpoints, mysqlConfig("", owner)), nil
	})
	s.Prober = w.mysqlProbe(mysql.NewQuorumProbe)
	s.Revoke = revokeBy("DELETE FROM torture.lock_quorum WHERE name = ?", databases(t, w.cluster.Endpoints(0)...)...)
	locktest.Run(t, s)
}

func TestMySQLFailover(t *testing.T) {
	t.Parallel()
	w := start(t, "mariadb-replica")
	s := w.suite(mysql.UniqueTTLTraits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return mysql.NewUniqueTTL(mysqlConfig(endpoints[0], owner)), nil
	})
	s.Revoke = revokeBy("UPDATE torture.lock_ttl SET owner = NULL, count = 0, expires = NULL WHERE name = ?",
		databases(t, w.cluster.Endpoints(0)...)...)
	locktest.Run(t, s)
}

func TestRedisMySQL(t *testing.T) {
	t.Parallel()
	w := start(t, "redis-mariadb")
	s := w.suite(mysql.RedisMySQLTraits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return mysql.NewRedisMySQL(endpoints[0], mysqlConfig(endpoints[1], owner)), nil
	})
	nodes := w.cluster.Nodes
	probe := mysql.NewRedisMySQLProbe(mysql.Node{Name: nodes[0].Name(), Addr: nodes[0].Addr()}, mysql.Node{Name: nodes[1].Name(), Addr: nodes[1].Addr()})
	rdb := goredis.NewClient(&goredis.Options{Addr: nodes[0].Addr()})
	t.Cleanup(func() { probe.Close(); rdb.Close() })
	row := revokeBy("UPDATE torture.lock_confirm SET owner = NULL, expires = NULL WHERE name = ?", databases(t, nodes[1].Addr())[0])
	s.Prober = probe
	s.Revoke = func(ctx context.Context, name string) error {
		return errors.Join(row(ctx, name), rdb.Del(ctx, "lock:"+name).Err())
	}
	locktest.Run(t, s)
}
