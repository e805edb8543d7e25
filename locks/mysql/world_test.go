package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/mysql"
)

// ttl is short, and long enough for a machine that is busy with other tests.
const ttl = time.Second

// start starts servers with two clients.
func start(t *testing.T, topology string) *cluster.Cluster {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	for _, need := range cluster.Topologies()[topology].Needs {
		if err := p.Serves(need); err != nil {
			t.Fatalf("%v; run: make servers", err)
		}
	}
	c, err := cluster.Start(t.Context(), topology, p, 2, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// config returns how a client of the first server of a cluster is opened.
func config(c *cluster.Cluster, client int) mysql.Config {
	return mysql.Config{Addr: c.Endpoints(client)[0], TTL: ttl, Owner: "p" + string(rune('0'+client)), Wait: 2 * time.Second,
		Timeout: 10 * time.Second, Grace: 2 * time.Second} // a busy machine
}

// A locker is what all the locks here are.
type locker interface {
	locks.Locker
	locks.Trier
}

// pair opens two clients of a lock.
func pair[L locker](t *testing.T, c *cluster.Cluster, open func(mysql.Config) L) (a, b L) {
	t.Helper()
	a, b = open(config(c, 1)), open(config(c, 2))
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// acquire waits for a lock that should be free, or soon be.
func acquire(t *testing.T, l locks.Locker, name string) locks.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	lease, err := l.Acquire(ctx, name)
	if err != nil {
		t.Fatalf("acquire %s: %v", name, err)
	}
	return lease
}

// refused fails unless a lock is certainly refused.
func refused(t *testing.T, l locks.Trier, name string) {
	t.Helper()
	if lease, err := l.TryAcquire(t.Context(), name); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("try %s: %v, %v; want ErrNotAcquired", name, lease, err)
	}
}

func release(t *testing.T, l locks.Lease) {
	t.Helper()
	if err := l.Release(t.Context()); err != nil {
		t.Errorf("release: %v", err)
	}
}

func direct(t *testing.T, addr string) *sql.DB {
	t.Helper()
	cfg := driver.NewConfig()
	cfg.Net, cfg.Addr, cfg.User = "tcp", addr, "root"
	c, err := driver.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	t.Cleanup(func() { db.Close() })
	return db
}

func eventually(t *testing.T, within time.Duration, what string, ok func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	for !ok() {
		if time.Since(start) > within {
			t.Fatalf("not within %v: %s", within, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(start)
}
