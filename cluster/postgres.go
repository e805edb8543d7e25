package cluster

import "context"

// startPostgres starts one PostgreSQL.
func startPostgres(ctx context.Context, b *builder) error {
	return b.single(ctx, Spec{Server: "postgres", Name: "postgres-1"})
}
