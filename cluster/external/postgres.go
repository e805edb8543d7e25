package external

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// A postgres is the client side of one PostgreSQL. Advisory locks leave no data; the names of
// tables begin with the prefix.
type postgres struct{ cfg Config }

func newPostgres(cfg Config) service { return &postgres{cfg} }

func (p *postgres) connect(ctx context.Context, addr string) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig("postgres://postgres@" + addr + "/?sslmode=disable")
	if err != nil {
		return nil, err
	}
	c.Database, c.DialFunc = p.cfg.Database, plain
	if p.cfg.User != "" {
		c.User, c.Password = p.cfg.User, p.cfg.Password
	}
	if c.TLSConfig, err = p.cfg.TLS(addr); err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, c)
}

// with calls do with a connection, and closes it afterwards.
func (p *postgres) with(ctx context.Context, addr string, do func(*pgx.Conn) error) error {
	conn, err := p.connect(ctx, addr)
	if err != nil {
		return err
	}
	return errors.Join(do(conn), conn.Close(ctx))
}

func (p *postgres) version(ctx context.Context, addr string) (v string, err error) {
	err = p.with(ctx, addr, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, "SHOW server_version").Scan(&v)
	})
	return v, err
}

func (p *postgres) prepare(context.Context) error { return nil }

// tables lists the tables whose names begin with the prefix.
func (p *postgres) tables(ctx context.Context, c *pgx.Conn) ([]string, error) {
	rows, err := c.Query(ctx, "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() AND starts_with(tablename, $1)", p.cfg.Prefix)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (p *postgres) some(ctx context.Context) (name string, err error) {
	err = p.with(ctx, p.cfg.Endpoints[0], func(c *pgx.Conn) error {
		tables, err := p.tables(ctx, c)
		name = first(tables)
		return err
	})
	return name, err
}

func (p *postgres) sweep(ctx context.Context) (n int, err error) {
	err = p.with(ctx, p.cfg.Endpoints[0], func(c *pgx.Conn) error {
		tables, err := p.tables(ctx, c)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if _, err := c.Exec(ctx, "DROP TABLE IF EXISTS "+pgx.Identifier{t}.Sanitize()); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// looker checks that the server accepts writes.
func (p *postgres) looker(s server) looker {
	return &kept[*pgx.Conn]{
		open: func(ctx context.Context) (*pgx.Conn, error) { return p.connect(ctx, s.addr) },
		ask: func(ctx context.Context, c *pgx.Conn) error {
			var replica, readOnly bool
			err := c.QueryRow(ctx, "SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::bool").Scan(&replica, &readOnly)
			switch {
			case err != nil:
				return err
			case replica:
				return errReplica
			case readOnly:
				return errReadOnly
			}
			return nil
		},
		shut: func(c *pgx.Conn) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = c.Close(ctx) // the connection may be broken
		},
	}
}
