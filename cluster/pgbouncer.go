package cluster

import "context"

// startPgBouncer starts one PostgreSQL, and a PgBouncer between it and the clients. Each client has
// one link. The pooler reaches the database through a link too.
func startPgBouncer(mode string) func(context.Context, *builder) error {
	return func(ctx context.Context, b *builder) error {
		ports, err := b.reserve(3)
		if err != nil {
			return err
		}
		if err := b.start(ctx, Spec{Server: "postgres", Name: "postgres-1", Ports: ports[:1]}); err != nil {
			return err
		}
		if _, err := b.link(local(ports[1]), b.cluster.Nodes[0].Addr(), Way{From: 1, To: 0}); err != nil {
			return err
		}
		pooler := Spec{Server: "pgbouncer", Name: "pgbouncer-1", Ports: []int{ports[2], ports[1]}, Args: []string{"pool_mode = " + mode}}
		if err := b.start(ctx, pooler); err != nil {
			return err
		}
		_, err = b.virtual(func() string { return b.cluster.Nodes[1].Addr() })
		return err
	}
}
