//go:build linux

package processtest_test

import (
	"context"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// A fail-over loses what the replica had not got, keeps what it had, and the old
// primary comes back as a replica, twice.
func TestMariaDBFailover(t *testing.T) {
	c := start(t, cluster.Config{Topology: "mariadb-replica", Clients: 1})
	r := c.Replicas
	db := database(t, "mariadb", c.Endpoints(1)[0])
	execute(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (n INT, owner TEXT)", "INSERT INTO d.t VALUES (1, 'kept')")
	for round := range 2 {
		old := r.Primary()
		if err := r.Rejoin(t.Context()); err != nil { // in sync
			t.Fatal(err)
		}
		if err := r.CutReplicas(t.Context()); err != nil {
			t.Fatal(err)
		}
		execute(t, db, "INSERT INTO d.t VALUES (3, NULL)")
		wantNoWrite(t, r)
		execute(t, db, "INSERT INTO d.t VALUES (2, 'lost')")
		if err := r.WaitWrite(t.Context()); err != nil {
			t.Fatal(err)
		}
		promoted, err := r.Failover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := c.Nodes[1-old].Name(); promoted != want || r.Primary() == old {
			t.Errorf("round %d: promoted %s, want %s", round, promoted, want)
		}
		eventuallyNumber(t, db, "SELECT COUNT(*) FROM d.t", 1)
		execute(t, db, "INSERT INTO d.t VALUES (4, 'new')", "DELETE FROM d.t WHERE n = 4")
		if err := r.Rejoin(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantNumber(t, database(t, "mariadb", c.Nodes[old].Addr()), "SELECT COUNT(*) FROM d.t", 1)
	}
}

// wantNoWrite fails if a write is seen that does not count.
func wantNoWrite(t *testing.T, r cluster.Replication) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context()) // with a deadline WaitWrite would write by itself at half of it
	defer time.AfterFunc(100*time.Millisecond, cancel).Stop()
	defer cancel()
	if err := r.WaitWrite(ctx); err == nil {
		t.Error("a row with a NULL was taken for a write")
	}
}

// Whichever node is restarted, with its data or without, the replica follows
// the primary afterwards.
func TestMariaDBReplicaRestart(t *testing.T) {
	c := start(t, cluster.Config{Topology: "mariadb-replica", Clients: 1})
	for _, tt := range []struct {
		node int
		wipe bool
	}{{1, false}, {1, true}, {0, false}, {0, true}, {1, false}} {
		node := c.Nodes[tt.node].(*process.ClockedNode)
		restart(t, node, tt.wipe)
		db := database(t, "mariadb", c.Nodes[0].Addr())
		execute(t, db, "CREATE DATABASE IF NOT EXISTS d", "CREATE OR REPLACE TABLE d.t AS SELECT 1 AS n", "INSERT INTO d.t VALUES (2)")
		if err := c.Replicas.Rejoin(t.Context()); err != nil {
			t.Fatalf("%s restarted, wipe %v: %v", node.Name(), tt.wipe, err)
		}
		wantNumber(t, database(t, "mariadb", c.Nodes[1].Addr()), "SELECT SUM(n) FROM d.t", 3)
	}
}
