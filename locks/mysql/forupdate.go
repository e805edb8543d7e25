package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A ForUpdate is SELECT … FOR UPDATE on a row with a unique key. It runs in a transaction that
// stays open, on a connection of its own, while the lock is held. A missing row is created before
// the transaction, and stays. Waiters wait in the server; TryAcquire uses NOWAIT.
//
// Source: the pessimistic lock of database manuals and object-relational mappers. Clock: none; a
// lease ends with its connection.
//
// It does not promise that the holder learns of the death of its connection: as people use it,
// nothing checks the connection while the lock is held, and the server may have given the row to
// another client. On a silent link the server keeps a dead holder's row until its own timeouts. It
// has no token.
type ForUpdate struct {
	*server
	rows rows
	seen seen
}

var (
	_ locks.Locker = (*ForUpdate)(nil)
	_ locks.Trier  = (*ForUpdate)(nil)
)

// NewForUpdate returns a client; it connects when it is first used. The TTL is not used.
func NewForUpdate(cfg Config) *ForUpdate {
	return &ForUpdate{server: newServer(cfg), rows: rows{table: rowTable(), make: makeRow, unique: true}}
}

// ForUpdateTraits returns the traits of the lock and its variants.
func ForUpdateTraits() locks.Traits { return connectionTraits("server") }

// Acquire waits in the server until it has the row.
func (f *ForUpdate) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return f.acquire(ctx, name, "SELECT 1 FROM %s WHERE name = ? FOR UPDATE")
}

// TryAcquire asks for the row without waiting.
func (f *ForUpdate) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return f.acquire(ctx, name, "SELECT 1 FROM %s WHERE name = ? FOR UPDATE NOWAIT")
}

// acquire waits for the row on a connection of its own. A wait that the server ends by its own
// limit is repeated until ctx is done.
func (f *ForUpdate) acquire(ctx context.Context, name, query string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	get := func() (*session, error) { return f.begin(ctx, name) }
	if begin := get; !nowait(query) {
		get = func() (*session, error) { return f.until(ctx, begin) }
	}
	x, err := get()
	if err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	if err := f.lock(ctx, x, name, query); err != nil {
		if ctx.Err() == nil && is(err, errLockWait) && x.exec(ctx, "ROLLBACK") == nil {
			x.rest() // TryAcquire was refused
		} else {
			x.close()
		}
		return nil, err
	}
	return &forUpdateLease{session: x}, nil
}

// nowait reports whether a query asks without waiting.
func nowait(query string) bool { return strings.HasSuffix(query, "NOWAIT") }

// begin opens a transaction after making sure that the row exists. It takes no lock, so its errors
// are certain.
func (f *ForUpdate) begin(ctx context.Context, name string) (*session, error) {
	x, err := f.pin(ctx)
	if err != nil {
		return nil, err
	}
	if err = f.prepare(ctx, x, name); err == nil {
		err = x.exec(ctx, "START TRANSACTION")
	}
	if err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

// lock locks the row. It repeats the statement whenever the server's limit for one wait is over.
func (f *ForUpdate) lock(ctx context.Context, x *session, name, query string) error {
	for made := false; ; {
		_, err := x.number(ctx, fmt.Sprintf(query, f.name(f.rows.table)), name)
		missing := errors.Is(err, sql.ErrNoRows)
		switch {
		case err == nil, missing && f.rows.make == "":
			return nil // a variant that creates no row takes the lock for granted
		case is(err, errLockWait) && !nowait(query) && ctx.Err() == nil:
			continue // only the statement was rolled back
		case !made && (missing || is(err, errNoTable, errNoDatabase)):
			if err := f.remake(ctx, x, name); err != nil {
				return attempt.Refused(ctx, err)
			}
			made = true
		case missing:
			return attempt.Refused(ctx, errors.New("the row has gone"))
		case certain(err):
			return attempt.Refused(ctx, err)
		default:
			return attempt.Unanswered(err)
		}
	}
}

// A forUpdateLease is an open transaction.
type forUpdateLease struct {
	session *session
	over    atomic.Bool
}

// Release commits the transaction. Unless the server confirms it, the connection is closed, which
// ends the lease in any case.
func (l *forUpdateLease) Release(ctx context.Context) error {
	if l.over.Swap(true) {
		return locks.ErrNotHeld
	}
	_ = l.session.look(ctx) // the next statement fails for the same reason
	err := l.session.exec(ctx, "COMMIT")
	if err != nil {
		l.session.close()
		return ended(err)
	}
	l.session.rest()
	return nil
}
