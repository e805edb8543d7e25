// Package mysql stores the data that a lock protects in tables of MySQL or MariaDB. The mark of the
// lock is a row, which is locked, compared and raised in the transaction that reads or writes: no
// other operation of that lock can come between, and a refusal rolls the transaction back.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"locktorture/workloads"
)

// A Store is a Resource in a schema of its own.
type Store struct{ db *sql.DB }

var _ workloads.Resource = (*Store)(nil)

// database is the schema of a Store.
const database = "torture_store"

// schema returns the tables of a Store. The count of operations exists because a run must know
// their order; an application has no such table.
func schema() []string {
	return []string{
		"DROP DATABASE IF EXISTS " + database,
		"CREATE DATABASE " + database,
		"CREATE TABLE " + database + ".fence (lock_name VARBINARY(255) PRIMARY KEY, token BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB",
		"CREATE TABLE " + database + ".stored (fenced BOOLEAN, name VARBINARY(255), value LONGBLOB NOT NULL, PRIMARY KEY (fenced, name)) ENGINE=InnoDB",
		"CREATE TABLE " + database + ".applied (id TINYINT PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB",
		"INSERT INTO " + database + ".applied VALUES (1, 0)",
	}
}

// Open recreates the tables on the server at addr, as root without a password.
func Open(ctx context.Context, addr string) (*Store, error) {
	cfg := driver.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.InterpolateParams = "root", "tcp", addr, true
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("open mysql store: %w", err)
	}
	db := sql.OpenDB(connector)
	for _, statement := range schema() {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, errors.Join(fmt.Errorf("open mysql store: %s: %w", strings.SplitN(statement, " (", 2)[0], err), db.Close())
		}
	}
	if err := db.Close(); err != nil {
		return nil, fmt.Errorf("open mysql store: %w", err)
	}
	cfg.DBName = database
	if connector, err = driver.NewConnector(cfg); err != nil {
		return nil, fmt.Errorf("open mysql store: %w", err)
	}
	db = sql.OpenDB(connector)
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	return &Store{db}, nil
}

// Do applies one operation, or refuses it with an error that wraps ErrStale or ErrConflict.
func (s *Store) Do(ctx context.Context, op workloads.Access) (string, int64, error) {
	for {
		value, n, err := s.try(ctx, op)
		if !rolledBack(err) || ctx.Err() != nil {
			return value, n, err
		}
	}
}

// rolledBack reports whether the server has rolled a transaction back to end a deadlock (two first
// operations of a lock can cause one). It may be repeated.
func rolledBack(err error) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && e.Number == 1213
}

func (s *Store) try(ctx context.Context, op workloads.Access) (string, int64, error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return "", 0, fmt.Errorf("mysql store: %w", err)
	}
	defer tx.Rollback()
	if op.Fenced {
		if err := fence(ctx, tx, op.Lock, op.Token); err != nil {
			return "", 0, err
		}
	}
	value, n, err := access(ctx, tx, op)
	if err != nil {
		return "", 0, err
	}
	if err := tx.Commit(); err != nil {
		return "", 0, fmt.Errorf("mysql store: commit: %w", err)
	}
	return value, n, nil
}

// fence locks the mark of the lock, raises it, and refuses an older token.
func fence(ctx context.Context, tx *sql.Tx, lock string, token uint64) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO fence (lock_name, token) VALUES (?, ?) ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))", lock, token)
	if err != nil {
		return fmt.Errorf("mysql store: fence: %w", err)
	}
	var mark uint64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM fence WHERE lock_name = ?", lock).Scan(&mark); err != nil {
		return fmt.Errorf("mysql store: fence: %w", err)
	}
	if token < mark {
		return fmt.Errorf("lock %s: token %d is older than %d: %w", lock, token, mark, workloads.ErrStale)
	}
	return nil
}

// access counts the operation and executes it. The row of the count stays locked until the commit,
// so that the count is the order of the operations.
func access(ctx context.Context, tx *sql.Tx, op workloads.Access) (string, int64, error) {
	counted, err := tx.ExecContext(ctx, "UPDATE applied SET n = LAST_INSERT_ID(n + 1) WHERE id = 1")
	if err != nil {
		return "", 0, fmt.Errorf("mysql store: count: %w", err)
	}
	n, err := counted.LastInsertId()
	if err != nil {
		return "", 0, fmt.Errorf("mysql store: count: %w", err)
	}
	if op.Guard != "" {
		held, err := read(ctx, tx, op.Fenced, op.Guard)
		if err != nil {
			return "", 0, err
		}
		if held != op.Want {
			return "", 0, fmt.Errorf("%s holds %q, not %q: %w", op.Guard, held, op.Want, workloads.ErrConflict)
		}
	}
	if !op.Write {
		value, err := read(ctx, tx, op.Fenced, op.Key)
		return value, n, err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO stored (fenced, name, value) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE value = VALUES(value)", op.Fenced, op.Key, op.Value)
	if err != nil {
		return "", 0, fmt.Errorf("mysql store: write %s: %w", op.Key, err)
	}
	return "", n, nil
}

// read returns the value of a key, or "" for a key that was never written.
func read(ctx context.Context, tx *sql.Tx, fenced bool, key string) (value string, err error) {
	err = tx.QueryRowContext(ctx, "SELECT value FROM stored WHERE fenced = ? AND name = ?", fenced, key).Scan(&value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("mysql store: read %s: %w", key, err)
	}
	return value, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.db.Close() }
