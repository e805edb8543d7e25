package external

import (
	"context"
	"database/sql"
	"errors"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// A mysql is the client side of one or several MariaDB or MySQL servers. The names of tables begin
// with the prefix.
type mysql struct{ cfg Config }

func newMySQL(cfg Config) service { return &mysql{cfg} }

func (m *mysql) open(addr string) (*sql.DB, error) {
	dsn := driver.NewConfig()
	dsn.Net, dsn.Addr, dsn.User, dsn.DBName = "tcp", addr, "root", m.cfg.Database
	if m.cfg.User != "" {
		dsn.User, dsn.Passwd = m.cfg.User, m.cfg.Password
	}
	dsn.DialFunc, dsn.Timeout, dsn.Logger = plain, 5*time.Second, &driver.NopLogger{}
	var err error
	if dsn.TLS, err = m.cfg.TLS(addr); err != nil {
		return nil, err
	}
	c, err := driver.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

func (m *mysql) version(ctx context.Context, addr string) (v string, err error) {
	db, err := m.open(addr)
	if err != nil {
		return "", err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&v)
	return v, err
}

func (m *mysql) prepare(context.Context) error { return nil }

func (m *mysql) sweep(ctx context.Context) (int, error) {
	return sumOver(ctx, m.cfg.Endpoints, m.drop)
}

// tables lists the tables whose names begin with the prefix.
func (m *mysql) tables(ctx context.Context, db *sql.DB) (tables []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND LEFT(TABLE_NAME, ?) = ?",
		len(m.cfg.Prefix), m.cfg.Prefix)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t string
		if err := rows.Scan(&t); err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, rows.Err()
}

func (m *mysql) some(ctx context.Context) (string, error) {
	for _, addr := range m.cfg.Endpoints {
		db, err := m.open(addr)
		if err != nil {
			return "", err
		}
		tables, err := m.tables(ctx, db)
		db.Close()
		if err != nil || len(tables) > 0 {
			return first(tables), err
		}
	}
	return "", nil
}

func (m *mysql) drop(ctx context.Context, addr string) (int, error) {
	db, err := m.open(addr)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	tables, err := m.tables(ctx, db)
	if err != nil {
		return 0, err
	}
	for i, t := range tables {
		if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS `"+t+"`"); err != nil { // a prefix contains no backquotes
			return i, err
		}
	}
	return len(tables), nil
}

// readOnlyCode is the error of MariaDB and MySQL servers that run with --read-only and deny this
// user all writes.
const readOnlyCode = 1290

// looker begins a transaction with write access, and ends it.
func (m *mysql) looker(s server) looker {
	return &kept[*sql.DB]{
		open: func(context.Context) (*sql.DB, error) { return m.open(s.addr) },
		ask: func(ctx context.Context, db *sql.DB) error {
			c, err := db.Conn(ctx)
			if err != nil {
				return err
			}
			defer c.Close()
			_, err = c.ExecContext(ctx, "START TRANSACTION READ WRITE")
			if err == nil {
				_, err = c.ExecContext(ctx, "ROLLBACK")
			}
			if reply := new(driver.MySQLError); errors.As(err, &reply) && reply.Number == readOnlyCode {
				return errReadOnly
			}
			return err
		},
		shut: func(db *sql.DB) { db.Close() },
	}
}
