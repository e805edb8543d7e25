//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"locktorture/cluster"
	"locktorture/workloads"
)

// A ledger is a table of MariaDB that clients use in transactions of their own, which they begin
// and commit at any time. It checks no tokens.
type ledger struct {
	db      *sql.DB
	applied atomic.Int64
}

var _ workloads.Resource = (*ledger)(nil)

// openLedger creates the table anew on the cluster's MariaDB.
func openLedger(ctx context.Context, c *cluster.Cluster) (workloads.Resource, error) {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.User, cfg.InterpolateParams = "tcp", "root", true
	for _, n := range c.Nodes {
		if n.Name() == "mariadb-1" {
			cfg.Addr = n.Addr()
		}
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	l := &ledger{db: sql.OpenDB(connector)}
	for _, statement := range []string{
		"CREATE DATABASE IF NOT EXISTS ledger",
		"CREATE OR REPLACE TABLE ledger.stored (name VARBINARY(255) PRIMARY KEY, value LONGBLOB NOT NULL) ENGINE=InnoDB",
	} {
		if _, err := l.db.ExecContext(ctx, statement); err != nil {
			return nil, errors.Join(fmt.Errorf("open ledger: %w", err), l.db.Close())
		}
	}
	return l, nil
}

// errChanged is the number of MariaDB's error about a row that has changed since the transaction's
// snapshot.
const errChanged = 1020

// Do executes one operation in the transaction of ctx, or in a transaction of its own.
func (l *ledger) Do(ctx context.Context, a workloads.Access) (value string, apply int64, err error) {
	var db interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	} = l.db
	if tx, ok := ctx.Value(transactionKey{}).(*sql.Conn); ok {
		db = tx
	}
	if a.Write {
		_, err = db.ExecContext(ctx, "INSERT INTO ledger.stored VALUES (?, ?) ON DUPLICATE KEY UPDATE value = VALUES(value)", a.Key, a.Value)
	} else if err = db.QueryRowContext(ctx, "SELECT value FROM ledger.stored WHERE name = ?", a.Key).Scan(&value); errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == errChanged {
		return "", 0, fmt.Errorf("%w: %w", workloads.ErrConflict, err)
	}
	return value, l.applied.Add(1), err
}

// Close closes the connections.
func (l *ledger) Close() error { return l.db.Close() }

// Begin begins the transaction, with its snapshot.
func (t *Transaction) Begin() {
	s := t.client.stage
	s.step(t.client.name()+" begins", func(ctx context.Context) error {
		conn, err := s.resource.(*ledger).db.Conn(ctx)
		if err != nil {
			return err
		}
		t.conn = conn
		s.later(func(context.Context) error { return ignoreDone(conn.Close()) })
		isolation := "OFF"
		if s.Case.Variant == snapshotIsolation {
			isolation = "ON"
		}
		for _, statement := range []string{
			"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SET SESSION innodb_snapshot_isolation = " + isolation,
			"START TRANSACTION WITH CONSISTENT SNAPSHOT",
		} {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// Commit commits the transaction.
func (t *Transaction) Commit() { t.finish("COMMIT") }

// Rollback rolls the transaction back.
func (t *Transaction) Rollback() { t.finish("ROLLBACK") }

func (t *Transaction) finish(how string) {
	t.client.stage.step(t.client.name()+" "+how, func(ctx context.Context) error {
		_, err := t.conn.ExecContext(ctx, how)
		err = errors.Join(err, t.conn.Close())
		t.conn = nil
		return err
	})
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}
