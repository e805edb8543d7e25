package raw

import (
	"context"
	"hash/fnv"
	"strings"

	"github.com/jackc/pgx/v5"

	"locktorture/locks"
)

// openPostgres makes two functions of the server a pair.
func openPostgres(take, free string) func(context.Context, Config) (locks.Locker, error) {
	return func(ctx context.Context, cfg Config) (locks.Locker, error) {
		conn, err := dialPostgres(ctx, cfg.Endpoints[0])
		if err != nil {
			return nil, err
		}
		return pair{
			take: func(ctx context.Context, name string) (func(context.Context) error, error) {
				h := fnv.New64a()
				_, _ = h.Write([]byte(keyOf(name))) // it never fails
				key := int64(h.Sum64())
				if _, err := conn.Exec(ctx, "SELECT "+take+"($1)", key); err != nil {
					return nil, err
				}
				return func(ctx context.Context) error {
					_, err := conn.Exec(ctx, "SELECT "+free+"($1)", key)
					return err
				}, nil
			},
			close: func() error { return conn.Close(context.WithoutCancel(ctx)) },
		}, nil
	}
}

func dialPostgres(ctx context.Context, dsn string) (*pgx.Conn, error) {
	if !strings.ContainsAny(dsn, "/=") {
		dsn = "postgres://postgres@" + dsn + "/postgres?sslmode=disable"
	}
	pg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	pg.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pgx.ConnectConfig(ctx, pg)
}
