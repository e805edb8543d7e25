package locktest_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/postgres"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		topology string // if not one PostgreSQL alone
		open     func(postgres.Config) locks.Locker
		traits   locks.Traits
		unseen   bool // who has it is not told
	}{
		{name: "postgres-advisory", open: func(c postgres.Config) locks.Locker { return postgres.NewAdvisory(c) }, traits: postgres.AdvisoryTraits()},
		{name: "postgres-shared", open: func(c postgres.Config) locks.Locker { return postgres.NewShared(c) }, traits: postgres.SharedTraits(), unseen: true},
		{name: "postgres-skip-locked", open: func(c postgres.Config) locks.Locker { return postgres.NewSkipLocked(c) }, traits: postgres.SkipLockedTraits(), unseen: true},
		{name: "pgbouncer-xact", topology: "pgbouncer", open: func(c postgres.Config) locks.Locker { return postgres.NewXact(c) }, traits: postgres.XactTraits()},
		{name: "pgbouncer-session", topology: "pgbouncer-session", open: func(c postgres.Config) locks.Locker { return postgres.NewAdvisory(c) }, traits: postgres.AdvisoryTraits()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			topology := "postgres"
			if tt.topology != "" {
				topology = tt.topology
			}
			w := start(t, topology)
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(postgres.Config{Addr: endpoints[0], Owner: owner, Timeout: 5 * time.Second, Grace: time.Second}), nil // a busy machine
			})
			if strings.HasPrefix(topology, "pgbouncer") {
				// PgBouncer 1.18 may end when a client leaves before its cancel request is answered
				// (findings/pgbouncer-cancel-crash), as a client does whose answers alone are lost.
				// On PostgreSQL itself postgres-advisory is asked.
				s.Mute = nil
			}
			node := w.cluster.Nodes[0]
			probe := postgres.NewProbe(node.Name(), node.Addr())
			t.Cleanup(func() { probe.Close() })
			if !tt.unseen {
				s.Prober = probe
			}
			s.Revoke = func(ctx context.Context, name string) error { return endBackend(ctx, probe, node.Addr(), name) }
			if tt.name == "postgres-skip-locked" {
				s.Revoke = func(ctx context.Context, _ string) error { return endOthers(ctx, node.Addr()) }
			}
			locktest.Run(t, s)
		})
	}
}

// endBackend ends the connection of the holder of a lock.
func endBackend(ctx context.Context, probe *postgres.Probe, addr, name string) error {
	sights, err := looked(ctx, probe, name)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, "postgres://postgres@"+addr+"/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", sights[0].Owner)
	return err
}

// endOthers ends the connections of all clients.
func endOthers(ctx context.Context, addr string) error {
	conn, err := pgx.Connect(ctx, "postgres://postgres@"+addr+"/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
	return err
}

// A server that is back without its data has lost the table, and a client makes it again.
func TestSkipLockedMakesItsTableAgain(t *testing.T) {
	t.Parallel()
	addr := start(t, "postgres").cluster.Endpoints(1)[0]
	q := postgres.NewSkipLocked(postgres.Config{Addr: addr, Owner: "p1", Timeout: 5 * time.Second, Grace: time.Second})
	t.Cleanup(func() { q.Close() })
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		lease, err := q.Acquire(ctx, "again")
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.Release(ctx); err != nil {
			t.Fatal(err)
		}
		conn, err := pgx.Connect(ctx, "postgres://postgres@"+addr+"/postgres?sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "DROP TABLE torture_queue"); err != nil {
			t.Fatal(err)
		}
	}
}

// Through a pooler in transaction mode the server takes two clients for one session.
func TestPgBouncerAdvisory(t *testing.T) {
	t.Parallel()
	w := start(t, "pgbouncer")
	grantedBeside(t, w, func(addr, owner string) locks.Locker {
		return postgres.NewAdvisory(postgres.Config{Addr: addr, Owner: owner, Timeout: 5 * time.Second, Grace: time.Second})
	})
}

// grantedBeside fails unless clients 1 and 2 hold a lock together that does not exclude them.
func grantedBeside(t *testing.T, w *world, open func(addr, owner string) locks.Locker) {
	t.Helper()
	for n := 1; n <= 2; n++ {
		l := open(w.cluster.Endpoints(n)[0], "p"+string(rune('0'+n)))
		t.Cleanup(func() { l.(io.Closer).Close() })
		if _, err := l.(locks.Trier).TryAcquire(t.Context(), "beside"); err != nil {
			t.Errorf("client %d: %v; this lock is known not to exclude", n, err)
		}
	}
}
