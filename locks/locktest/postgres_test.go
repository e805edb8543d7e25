package locktest_test

import (
	"context"
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
		name   string
		open   func(postgres.Config) locks.Locker
		traits locks.Traits
		unseen bool // who reads is not told
	}{
		{name: "postgres-advisory", open: func(c postgres.Config) locks.Locker { return postgres.NewAdvisory(c) }, traits: postgres.AdvisoryTraits()},
		{name: "postgres-shared", open: func(c postgres.Config) locks.Locker { return postgres.NewShared(c) }, traits: postgres.SharedTraits(), unseen: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "postgres")
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(postgres.Config{Addr: endpoints[0], Owner: owner, Timeout: 5 * time.Second, Grace: time.Second}), nil // a busy machine
			})
			node := w.cluster.Nodes[0]
			probe := postgres.NewProbe(node.Name(), node.Addr())
			t.Cleanup(func() { probe.Close() })
			if !tt.unseen {
				s.Prober = probe
			}
			s.Revoke = func(ctx context.Context, name string) error { return endBackend(ctx, probe, node.Addr(), name) }
			locktest.Run(t, s)
		})
	}
}

// endBackend ends the connection of the holder of a lock.
func endBackend(ctx context.Context, probe *postgres.Probe, addr, name string) error {
	sights, err := probe.Probe(ctx, name)
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
