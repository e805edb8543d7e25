package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// An Optimistic reads a row with a version, and takes the lock by an UPDATE that succeeds only if
// the row still has that version. Waiters spin.
//
// Source: optimistic concurrency control with a version column, as in object-relational mappers,
// used for a lock. Clock: the database's wall clock ends the lease; the client computes its
// validity as the start of the update plus the TTL.
//
// It does not promise that a holder stops when its TTL is over, nor any order among waiters. The
// version that a grant creates is its token.
type Optimistic struct{ *server }

var (
	_ locks.Locker = (*Optimistic)(nil)
	_ locks.Trier  = (*Optimistic)(nil)
)

// NewOptimistic returns a client; it connects when it is first used.
func NewOptimistic(cfg Config) *Optimistic { return &Optimistic{newServer(cfg)} }

// OptimisticTraits returns the lock's traits.
func OptimisticTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Token: true, Bounded: true, Validity: "TTL",
		LeastTTL: 100 * time.Millisecond, Model: "fenced",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + retryMax },
		Clock:      "the database server's wall clock",
	}
}

// Acquire spins until an update of the version that it has read succeeds.
func (o *Optimistic) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, o.terms, o.attempt, name)
}

// TryAcquire reads the row, and updates it if it is free.
func (o *Optimistic) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, o.terms, o.attempt, name)
}

// attempt returns a lease and the function that tries once to take it: it reads the version of the
// row and updates the row if the version has not changed.
func (o *Optimistic) attempt(name string) (*optimisticLease, attempt.Try) {
	l := &optimisticLease{optimistic: o}
	l.Name, l.Value = name, o.owner()
	return l, func(ctx context.Context) (bool, error) {
		version, free, err := o.read(ctx, name)
		if err != nil || !free {
			return false, err
		}
		start := o.cfg.Clock.Now()
		r, err := o.exec(ctx, versionTable(), "UPDATE %s SET owner = ?, version = version + 1,"+
			" expires = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND WHERE name = ? AND version = ?",
			l.Value, o.cfg.TTL.Microseconds(), name, version)
		if err != nil || r.rows == 0 {
			return false, err
		}
		l.End, l.Number = start.Add(o.cfg.TTL), version+1
		return true, nil
	}
}

// read returns the version of the row and whether the row is free. It creates a missing row. It
// takes no lock, so its errors are certain.
func (o *Optimistic) read(ctx context.Context, name string) (version uint64, free bool, err error) {
	const query = "SELECT version, owner IS NULL OR expires <= UTC_TIMESTAMP(6) FROM %s WHERE name = ?"
	if o.broken != nil {
		return 0, false, &attempt.NotSentError{Err: o.broken}
	}
	err = o.db.QueryRowContext(ctx, fmt.Sprintf(query, o.name(versionTable())), name).Scan(&version, &free)
	if errors.Is(err, sql.ErrNoRows) || is(err, errNoTable, errNoDatabase) {
		_, err = o.exec(ctx, versionTable(), "INSERT IGNORE INTO %s (name, version) VALUES (?, 0)", name)
		free = err == nil
	}
	if err != nil {
		return 0, false, &attempt.NotSentError{Err: err}
	}
	return version, free, nil
}

// An optimisticLease is a version of the row, which is also its token. Its validity ends one
// TTL after the start of the granting update.
type optimisticLease struct {
	attempt.FencedGrant
	optimistic *Optimistic
}

var (
	_ locks.Bounded = (*optimisticLease)(nil)
	_ locks.Fenced  = (*optimisticLease)(nil)
	_ locks.Owned   = (*optimisticLease)(nil)
)

// Release frees the row if it still has the version of the grant. The version stays, so that tokens
// grow.
func (l *optimisticLease) Release(ctx context.Context) error {
	return l.optimistic.change(ctx, "release", versionTable(), "UPDATE %s SET owner = NULL, expires = NULL"+
		" WHERE name = ? AND version = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)", l.Name, l.Number, l.Value)
}
