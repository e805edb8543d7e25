//go:build linux

package processtest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// startOpen starts a cluster below a directory that other users can enter, as
// PostgreSQL needs when root runs it.
func startOpen(t *testing.T, cfg cluster.Config) *cluster.Cluster {
	t.Helper()
	if err := os.Chmod(filepath.Dir(t.TempDir()), 0o711); err != nil {
		t.Fatal(err)
	}
	return start(t, cfg)
}

// database connects to a server of a kind.
func database(t *testing.T, kind, addr string) *sql.DB {
	t.Helper()
	var db *sql.DB
	var err error
	if kind == "postgres" {
		db, err = sql.Open("pgx", "postgres://postgres@"+addr+"/postgres?sslmode=disable")
	} else {
		cfg := mysql.NewConfig()
		cfg.Net, cfg.Addr, cfg.User, cfg.Logger = "tcp", addr, "root", &mysql.NopLogger{}
		db, err = sql.Open("mysql", cfg.FormatDSN())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// wantNumber compares the one number that a query returns; -1 is an error.
func wantNumber(t *testing.T, db *sql.DB, query string, want int64) {
	t.Helper()
	got := int64(-1)
	err := db.QueryRowContext(t.Context(), query).Scan(&got)
	if got != want {
		t.Errorf("%s is %d (%v), want %d", query, got, err, want)
	}
}

// A database keeps what was committed through a kill, loses it when it is wiped,
// stands still when it is paused, and has a clock of its own.
func TestDatabase(t *testing.T) {
	for _, tt := range []struct{ topology, version, schema, now string }{
		{"mariadb", "mariadb 10.", "CREATE DATABASE d", "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"},
		{"postgres", "postgresql 1", "CREATE SCHEMA d", "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"},
	} {
		t.Run(tt.topology, func(t *testing.T) {
			c := startOpen(t, cluster.Config{Topology: tt.topology, Clients: 1})
			node := c.Nodes[0].(*process.ClockedNode)
			if !strings.HasPrefix(node.Version(), tt.version) {
				t.Errorf("version is %q", node.Version())
			}
			db := database(t, tt.topology, c.Endpoints(1)[0])
			execute(t, db, tt.schema, "CREATE TABLE d.t (n INT)", "INSERT INTO d.t VALUES (7)")
			restart(t, node, false)
			eventuallyNumber(t, db, "SELECT n FROM d.t", 7)
			pauseAndResume(t, node, db)
			moveClock(t, node, db, tt.now)
			restart(t, node, true)
			eventuallyError(t, db, "SELECT n FROM d.t")
			wantNumber(t, db, "SELECT 5", 5)
		})
	}
}

func restart(t *testing.T, node *process.ClockedNode, wipe bool) {
	t.Helper()
	if err := node.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := node.Start(t.Context(), wipe); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s started in %v (wipe: %v)", node.Name(), time.Since(begun).Round(time.Millisecond), wipe)
}

// eventuallyNumber asks until connections from before a restart are used up.
func eventuallyNumber(t *testing.T, db *sql.DB, query string, want int64) {
	t.Helper()
	for range 10 {
		var got int64
		if db.QueryRowContext(t.Context(), query).Scan(&got) == nil && got == want {
			return
		}
	}
	wantNumber(t, db, query, want)
}

func eventuallyError(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	for range 10 {
		var got int64
		err := db.QueryRowContext(t.Context(), query).Scan(&got)
		if err != nil && strings.Contains(err.Error(), "exist") {
			return
		}
	}
	t.Errorf("%s still works", query)
}

// pauseAndResume asks over a connection that was there before.
func pauseAndResume(t *testing.T, node *process.ClockedNode, db *sql.DB) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := node.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go func() {
		var n int
		answered <- conn.QueryRowContext(ctx, "SELECT 1").Scan(&n)
	}()
	select {
	case err := <-answered:
		t.Errorf("a paused server answered (%v)", err)
	case <-time.After(100 * time.Millisecond):
	}
	if err := node.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("after a pause: %v", err)
	}
}

func moveClock(t *testing.T, node *process.ClockedNode, db *sql.DB, now string) {
	t.Helper()
	for _, offset := range []time.Duration{time.Minute, -time.Minute, 0} {
		if err := node.SkewClock(t.Context(), offset, 1); err != nil {
			t.Fatal(err)
		}
		var micros int64
		if err := db.QueryRowContext(t.Context(), now).Scan(&micros); err != nil {
			t.Fatal(err)
		}
		if off := time.Until(time.UnixMicro(micros)) - offset; off.Abs() > 100*time.Millisecond {
			t.Errorf("moved by %v it is off by another %v", offset, off)
		}
	}
}

// A pause does not wait for a backend that has just ended, which its stopped parent
// does not clear away.
func TestPauseWhileBackendsEnd(t *testing.T) {
	c := startOpen(t, cluster.Config{Topology: "postgres", Clients: 1})
	node := c.Nodes[0].(*process.ClockedNode)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 20 {
		db := database(t, "postgres", node.Addr())
		execute(t, db, "SELECT 1")
		db.Close() // the backend ends while the pause begins
		if err := node.Pause(ctx); err != nil {
			t.Fatal(err)
		}
		if err := node.Resume(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// Three MariaDB know nothing of each other.
func TestThreeMariaDB(t *testing.T) {
	c := start(t, cluster.Config{Topology: "mariadb-3", Clients: 1})
	if len(c.Nodes) != 3 || c.Quorum != 2 {
		t.Fatalf("%d nodes, quorum %d; want 3, 2", len(c.Nodes), c.Quorum)
	}
	for i, addr := range c.Endpoints(1) {
		db := database(t, "mariadb", addr)
		execute(t, db, "CREATE DATABASE d", fmt.Sprintf("CREATE TABLE d.t AS SELECT %d AS n", i))
		wantNumber(t, db, "SELECT n FROM d.t", int64(i))
	}
}

// memcached has no clock that could be moved, and says why.
func TestMemcached(t *testing.T) {
	c := start(t, cluster.Config{Topology: "memcached", Clients: 1})
	node := c.Nodes[0].(*process.Node)
	if _, ok := c.Nodes[0].(interface {
		SkewClock(context.Context, time.Duration, float64) error
	}); ok || node.WhyNot("clock") == "" {
		t.Errorf("the clock of memcached can be moved (%q)", node.WhyNot("clock"))
	}
	if !strings.HasPrefix(node.Version(), "memcached 1.") {
		t.Errorf("version is %q", node.Version())
	}
	if err := node.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := node.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
}
