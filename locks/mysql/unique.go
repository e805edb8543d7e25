package mysql

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Unique is a row with a unique key: INSERT to acquire, DELETE to release, without an expiry.
// Waiters spin.
//
// Source: the method with which most articles on database locks begin. Clock: none.
//
// It does not promise that the lock ever becomes free if its holder dies, nor any order among
// waiters. It has no token. A release deletes only the row of its own owner.
type Unique struct{ *server }

var (
	_ locks.Locker = (*Unique)(nil)
	_ locks.Trier  = (*Unique)(nil)
)

// NewUnique returns a client; it connects when it is first used. The TTL is not used.
func NewUnique(cfg Config) *Unique { return &Unique{newServer(cfg)} }

// UniqueTraits returns the lock's traits.
func UniqueTraits() locks.Traits {
	return locks.Traits{Wait: "spin", Model: "mutex", Clock: "none"}
}

// Acquire spins until the row is inserted.
func (u *Unique) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, u.terms, u.attempt, name)
}

// TryAcquire sends one INSERT.
func (u *Unique) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, u.terms, u.attempt, name)
}

// attempt returns a lease and the INSERT for it. A duplicate key is a refusal.
func (u *Unique) attempt(name string) (*uniqueLease, attempt.Try) {
	l := &uniqueLease{unique: u, name: name, owner: u.owner()}
	return l, func(ctx context.Context) (bool, error) {
		_, err := u.exec(ctx, uniqueTable(), "INSERT INTO %s (name, owner) VALUES (?, ?)", name, l.owner)
		if is(err, errDuplicateKey) {
			return false, nil
		}
		return err == nil, err
	}
}

// A uniqueLease is the row of its owner.
type uniqueLease struct {
	unique *Unique
	name   string
	owner  string
}

var _ locks.Owned = (*uniqueLease)(nil)

// Owner returns the value in the row.
func (l *uniqueLease) Owner() string { return l.owner }

// Release deletes the row.
func (l *uniqueLease) Release(ctx context.Context) error {
	return l.unique.change(ctx, "release", uniqueTable(), "DELETE FROM %s WHERE name = ? AND owner = ?", l.name, l.owner)
}
