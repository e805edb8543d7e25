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
	w := start(t, "postgres")
	s := w.suite(postgres.AdvisoryTraits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return postgres.NewAdvisory(postgres.Config{Addr: endpoints[0], Owner: owner, Timeout: 5 * time.Second, Grace: time.Second}), nil // a busy machine
	})
	node := w.cluster.Nodes[0]
	probe := postgres.NewProbe(node.Name(), node.Addr())
	t.Cleanup(func() { probe.Close() })
	s.Prober = probe
	s.Revoke = func(ctx context.Context, name string) error {
		sights, err := probe.Probe(ctx, name)
		if err != nil {
			return err
		}
		conn, err := pgx.Connect(ctx, "postgres://postgres@"+node.Addr()+"/postgres?sslmode=disable")
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", sights[0].Owner)
		return err
	}
	locktest.Run(t, s)
}
