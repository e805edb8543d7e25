package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// A rows says in which rows a variant of ForUpdate looks for the lock.
type rows struct {
	table table
	// make adds the row of a lock; "": the variant makes none.
	make string
	// unique: the row can be locked only if it is there.
	unique bool
}

// makeRow adds a row unless it is there. In MariaDB it does not wait where somebody has that
// row locked: it would stand in the queue for the lock, and then once more to take it.
const makeRow = "/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */ INSERT IGNORE INTO %s (name) VALUES (?)"

// A seen knows names of locks whose rows are there.
type seen struct {
	mu    sync.Mutex
	names map[string]bool
}

// seenMost is the number of names that are remembered; with more all are forgotten.
const seenMost = 10_000

func (s *seen) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}

func (s *seen) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil || len(s.names) >= seenMost {
		s.names = map[string]bool{}
	}
	s.names[name] = true
}

// prepare makes the row of a lock that this client has not seen yet, outside of any
// transaction. A FOR UPDATE that found no row would lock the gap where it would be, and of
// many clients that do so at once each would have to wait until all others had gone away
// before it could make the row.
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

// remake ends a transaction that found no row, and begins another once it is there.
func (f *ForUpdate) remake(ctx context.Context, x *session, name string) error {
	if err := x.exec(ctx, "ROLLBACK"); err != nil {
		return err
	}
	if err := f.add(ctx, x, name); err != nil {
		return err
	}
	return x.exec(ctx, "START TRANSACTION")
}

// add adds the row of a lock, and the table if it is missing.
func (f *ForUpdate) add(ctx context.Context, x *session, name string) error {
	if err := f.ensure(ctx, f.rows.table); err != nil || f.rows.make == "" {
		return err
	}
	err := x.wait(ctx, func(ctx context.Context) error {
		_, err := x.conn.ExecContext(ctx, fmt.Sprintf(f.rows.make, f.name(f.rows.table)), name)
		return err
	})
	if f.rows.unique && is(err, errLockWait, errDeadlock) {
		return nil // somebody else has it, or makes it
	}
	return err
}

// ensure makes a table that is missing.
func (f *ForUpdate) ensure(ctx context.Context, t table) error {
	rctx, cancel := f.terms.Request(ctx)
	defer cancel()
	_, err := f.exec(rctx, t, "SELECT 1 FROM %s LIMIT 0")
	return err
}
