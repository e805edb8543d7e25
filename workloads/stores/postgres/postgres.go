// Package postgres stores the data that a lock protects in tables of PostgreSQL. The mark of the
// lock is a row, which is locked, compared and raised in the transaction that reads or writes: no
// other operation of that lock can come between, and a refusal rolls the transaction back.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"locktorture/workloads"
)

// A Store is a Resource in a schema of its own.
type Store struct{ pool *pgxpool.Pool }

var _ workloads.Resource = (*Store)(nil)

// schema lists the tables of a Store. The count of operations exists because a run must know their
// order; an application has no such table.
const schema = `
DROP SCHEMA IF EXISTS torture_store CASCADE;
CREATE SCHEMA torture_store;
CREATE TABLE torture_store.fence (lock_name text PRIMARY KEY, token bigint NOT NULL);
CREATE TABLE torture_store.stored (fenced boolean, name text, value text NOT NULL, PRIMARY KEY (fenced, name));
CREATE TABLE torture_store.applied (n bigint NOT NULL);
INSERT INTO torture_store.applied VALUES (0);`

// Open recreates the tables on the server at addr, as the user postgres.
func Open(ctx context.Context, addr string) (*Store, error) {
	pool, err := pgxpool.New(ctx, "postgres://postgres@"+addr+"/postgres?sslmode=disable&pool_max_conns=16&search_path=torture_store")
	if err != nil {
		return nil, fmt.Errorf("open postgres store: %w", err)
	}
	if _, err := pool.Exec(ctx, schema); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open postgres store: %w", err)
	}
	return &Store{pool}, nil
}

// Do applies one operation, or refuses it with an error that wraps ErrStale or ErrConflict.
func (s *Store) Do(ctx context.Context, op workloads.Access) (string, int64, error) {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return "", 0, fmt.Errorf("postgres store: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if op.Fenced {
		if err := fence(ctx, tx, op.Lock, op.Token); err != nil {
			return "", 0, err
		}
	}
	value, n, err := access(ctx, tx, op)
	if err != nil {
		return "", 0, err
	}
	if err := tx.Commit(ctx); err != nil {
		return "", 0, fmt.Errorf("postgres store: commit: %w", err)
	}
	return value, n, nil
}

// fence locks the mark of the lock, raises it, and refuses an older token.
func fence(ctx context.Context, tx pgx.Tx, lock string, token uint64) error {
	if token > math.MaxInt64 {
		return fmt.Errorf("postgres store: token %d is no bigint", token)
	}
	const moveUp = `INSERT INTO fence (lock_name, token) VALUES ($1, $2)
		ON CONFLICT (lock_name) DO UPDATE SET token = GREATEST(fence.token, EXCLUDED.token) RETURNING token`
	var mark int64
	if err := tx.QueryRow(ctx, moveUp, lock, int64(token)).Scan(&mark); err != nil {
		return fmt.Errorf("postgres store: fence: %w", err)
	}
	if int64(token) < mark {
		return fmt.Errorf("lock %s: token %d is older than %d: %w", lock, token, mark, workloads.ErrStale)
	}
	return nil
}

// access counts the operation and executes it. The row of the count stays locked until the commit,
// so that the count is the order of the operations.
func access(ctx context.Context, tx pgx.Tx, op workloads.Access) (value string, n int64, err error) {
	if err := tx.QueryRow(ctx, "UPDATE applied SET n = n + 1 RETURNING n").Scan(&n); err != nil {
		return "", 0, fmt.Errorf("postgres store: count: %w", err)
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
		value, err = read(ctx, tx, op.Fenced, op.Key)
		return value, n, err
	}
	const upsert = "INSERT INTO stored (fenced, name, value) VALUES ($1, $2, $3) ON CONFLICT (fenced, name) DO UPDATE SET value = EXCLUDED.value"
	if _, err := tx.Exec(ctx, upsert, op.Fenced, op.Key, op.Value); err != nil {
		return "", 0, fmt.Errorf("postgres store: write %s: %w", op.Key, err)
	}
	return "", n, nil
}

// read returns the value of a key, or "" for a key that was never written.
func read(ctx context.Context, tx pgx.Tx, fenced bool, key string) (value string, err error) {
	err = tx.QueryRow(ctx, "SELECT value FROM stored WHERE fenced = $1 AND name = $2", fenced, key).Scan(&value)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("postgres store: read %s: %w", key, err)
	}
	return value, nil
}

// Close closes the connections.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}
