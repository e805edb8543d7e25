package raw

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	driver "github.com/go-sql-driver/mysql"
	goredis "github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"locktorture/locks"
)

const bareTable = "bare.locks"

// A statement takes on a connection; free is how that is freed again.
type statement func(ctx context.Context, conn *sql.Conn, name string) (free func(context.Context) error, err error)

func insert(ctx context.Context, conn *sql.Conn, name string) (func(context.Context) error, error) {
	owner := rand.Text()
	if _, err := conn.ExecContext(ctx, "INSERT INTO "+bareTable+" (name, owner) VALUES (?, ?)", name, owner); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		_, err := conn.ExecContext(ctx, "DELETE FROM "+bareTable+" WHERE name = ? AND owner = ?", name, owner)
		return err
	}, nil
}

func update(ctx context.Context, conn *sql.Conn, name string) (func(context.Context) error, error) {
	owner := rand.Text()
	const set = "UPDATE " + bareTable + " SET owner = ? WHERE name = ?"
	r, err := conn.ExecContext(ctx, set, owner, name)
	if err != nil {
		return nil, err
	}
	if n, err := r.RowsAffected(); err == nil && n == 0 { // the row is made once
		if _, err := insert(ctx, conn, name); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error {
		_, err := conn.ExecContext(ctx, set, "", name)
		return err
	}, nil
}

func forUpdate(ctx context.Context, conn *sql.Conn, name string) (func(context.Context) error, error) {
	return lockRow(ctx, conn, name, "FOR UPDATE")
}

func inShareMode(ctx context.Context, conn *sql.Conn, name string) (func(context.Context) error, error) {
	return lockRow(ctx, conn, name, "LOCK IN SHARE MODE")
}

// lockRow makes the row when it is missing, which it is once, outside of the
// transaction: a SELECT FOR UPDATE of no row keeps others from inserting theirs.
func lockRow(ctx context.Context, conn *sql.Conn, name, lock string) (func(context.Context) error, error) {
	for range 2 {
		if _, err := conn.ExecContext(ctx, "START TRANSACTION"); err != nil {
			return nil, err
		}
		var one int
		err := conn.QueryRowContext(ctx, "SELECT 1 FROM "+bareTable+" WHERE name = ? "+lock, name).Scan(&one)
		if err == nil {
			return func(ctx context.Context) error {
				_, err := conn.ExecContext(ctx, "COMMIT")
				return err
			}, nil
		}
		if _, rerr := conn.ExecContext(ctx, "ROLLBACK"); rerr != nil || !errors.Is(err, sql.ErrNoRows) {
			return nil, errors.Join(err, rerr)
		}
		if _, err := conn.ExecContext(ctx, "INSERT IGNORE INTO "+bareTable+" (name, owner) VALUES (?, '')", name); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the row has gone")
}

func getLock(ctx context.Context, conn *sql.Conn, name string) (func(context.Context) error, error) {
	var got int
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 0)", keyOf(name)).Scan(&got); err != nil {
		return nil, err
	}
	if got != 1 {
		return nil, errTaken
	}
	return func(ctx context.Context) error {
		return conn.QueryRowContext(ctx, "SELECT RELEASE_LOCK(?)", keyOf(name)).Scan(&got)
	}, nil
}

// A mysqlConn is one open connection.
type mysqlConn struct {
	db   *sql.DB
	conn *sql.Conn
}

// dialMySQL connects and makes the table if it is missing.
func dialMySQL(ctx context.Context, addr string) (*mysqlConn, error) {
	cfg := driver.NewConfig()
	cfg.Net, cfg.Addr, cfg.User = "tcp", addr, "root"
	if strings.Contains(addr, "/") {
		var err error
		if cfg, err = driver.ParseDSN(addr); err != nil {
			return nil, err
		}
	}
	cfg.InterpolateParams, cfg.Logger = true, &driver.NopLogger{}
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	m := &mysqlConn{db: sql.OpenDB(connector)}
	if m.conn, err = m.db.Conn(ctx); err != nil {
		return nil, errors.Join(err, m.db.Close())
	}
	for _, s := range []string{
		"CREATE DATABASE IF NOT EXISTS bare",
		"CREATE TABLE IF NOT EXISTS " + bareTable + " (name VARCHAR(190) PRIMARY KEY, owner VARCHAR(190) NOT NULL) ENGINE = InnoDB",
	} {
		if _, err := m.conn.ExecContext(ctx, s); err != nil {
			return nil, errors.Join(fmt.Errorf("make table: %w", err), m.close())
		}
	}
	return m, nil
}

func (m *mysqlConn) close() error { return errors.Join(m.conn.Close(), m.db.Close()) }

func openMySQL(take statement) func(context.Context, Config) (locks.Locker, error) {
	return func(ctx context.Context, cfg Config) (locks.Locker, error) {
		m, err := dialMySQL(ctx, cfg.Endpoints[0])
		if err != nil {
			return nil, err
		}
		return pair{close: m.close, take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			return take(ctx, m.conn, name)
		}}, nil
	}
}

// openMySQLAll sends every statement to all servers at once and waits for all answers.
func openMySQLAll(ctx context.Context, cfg Config) (locks.Locker, error) {
	var nodes []*mysqlConn
	closeAll := func() error {
		var errs []error
		for _, m := range nodes {
			errs = append(errs, m.close())
		}
		return errors.Join(errs...)
	}
	for _, a := range cfg.Endpoints {
		m, err := dialMySQL(ctx, a)
		if err != nil {
			return nil, errors.Join(err, closeAll())
		}
		nodes = append(nodes, m)
	}
	return pair{close: closeAll, take: func(ctx context.Context, name string) (func(context.Context) error, error) {
		frees := make([]func(context.Context) error, len(nodes))
		var g errgroup.Group
		for i, m := range nodes {
			g.Go(func() (err error) {
				frees[i], err = insert(ctx, m.conn, name)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			var g errgroup.Group
			for _, free := range frees {
				g.Go(func() error { return free(ctx) })
			}
			return g.Wait()
		}, nil
	}}, nil
}

// openRedisMySQL is both, one after the other; the endpoints are Redis', then the database's.
func openRedisMySQL(ctx context.Context, cfg Config) (locks.Locker, error) {
	m, err := dialMySQL(ctx, cfg.Endpoints[1])
	if err != nil {
		return nil, err
	}
	rdb := goredis.NewClient(options(cfg.Endpoints[0]))
	return pair{
		close: func() error { return errors.Join(m.close(), rdb.Close()) },
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			key, value := keyOf(name), rand.Text()
			if err := setNXPX(ctx, rdb, cfg, key, value); err != nil {
				return nil, err
			}
			free, err := insert(ctx, m.conn, name)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context) error {
				if err := free(ctx); err != nil {
					return err
				}
				return evalDelete(ctx, rdb, cfg, key, value)
			}, nil
		},
	}, nil
}
