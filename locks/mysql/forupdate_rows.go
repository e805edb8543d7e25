package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// A rows describes the rows that a variant of ForUpdate locks.
type rows struct {
	table table
	// make is the statement that creates the row of a lock. It is "" if the variant creates
	// none.
	make string
	// unique reports whether the name has a unique index, so that only an existing row can be
	// locked.
	unique bool
}

// makeRow creates a row unless it exists. In MariaDB the INSERT does not wait for a locked
// row: otherwise a client would wait in the queue twice, to insert the row and then to lock
// it.
const makeRow = "/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */ INSERT IGNORE INTO %s (name) VALUES (?)"

// A seen remembers the names of locks whose rows exist.
type seen struct {
	mu    sync.Mutex
	names map[string]bool
}

// seenMost is the number of remembered names. When it is exceeded, all are forgotten.
const seenMost = 10_000

// has reports whether a row is known to exist.
func (s *seen) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}

// add records that a row exists. A full set is emptied, which costs one superfluous INSERT for each
// name.
func (s *seen) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil || len(s.names) >= seenMost {
		s.names = map[string]bool{}
	}
	s.names[name] = true
}

// prepare creates the row of a lock that this client has not seen yet, outside of any
// transaction. A SELECT … FOR UPDATE that found no row would lock the gap where the row would
// be. If many clients did so at once, each would have to wait for the others before one could
// create the row.
func (f *ForUpdate) prepare(ctx context.Context, x *session, name string) error {
	if f.rows.make == "" || f.seen.has(name) {
		return nil
	}
	_, err := x.answer(ctx, fmt.Sprintf("SELECT 1 FROM %s WHERE name = ? LIMIT 1", f.name(f.rows.table)), name)
	if errors.Is(err, sql.ErrNoRows) || is(err, errNoTable, errNoDatabase) {
		err = f.add(ctx, x, name)
	}
	if err == nil {
		f.seen.add(name)
	}
	return err
}

// remake ends a transaction that found no row, creates the row, and begins another transaction.
func (f *ForUpdate) remake(ctx context.Context, x *session, name string) error {
	if err := x.exec(ctx, "ROLLBACK"); err != nil {
		return err
	}
	if err := f.add(ctx, x, name); err != nil {
		return err
	}
	return x.exec(ctx, "START TRANSACTION")
}

// add creates the row of a lock, and the table if it is missing.
func (f *ForUpdate) add(ctx context.Context, x *session, name string) error {
	if err := f.ensure(ctx, f.rows.table); err != nil || f.rows.make == "" {
		return err
	}
	err := x.wait(ctx, func(ctx context.Context) error {
		_, err := x.conn.ExecContext(ctx, fmt.Sprintf(f.rows.make, f.name(f.rows.table)), name)
		return err
	})
	if f.rows.unique && is(err, errLockWait, errDeadlock) {
		return nil // another client has locked or is creating the row
	}
	return err
}

// ensure creates a table that is missing.
func (f *ForUpdate) ensure(ctx context.Context, t table) error {
	rctx, cancel := f.terms.Request(ctx)
	defer cancel()
	_, err := f.exec(rctx, t, "SELECT 1 FROM %s LIMIT 0")
	return err
}
