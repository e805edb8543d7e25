package mutants

import (
	"context"

	"locktorture/locks"
)

// InnerFrees: the release of an inner entry frees the lock.
const InnerFrees Switch = "inner-frees"

// A keyEntry is what a client holds and how often it is inside.
type keyEntry struct {
	lease  *keyLease
	inside int // guarded by the mu of the Key
}

// An innerLease is one entry. All entries of a hold share its name, its token and its
// validity.
type innerLease struct {
	*keyLease
	entry *keyEntry
}

var _ locks.Fenced = (*innerLease)(nil)

// enter begins a hold.
func (k *Key) enter(l *keyLease) *innerLease {
	e := &keyEntry{lease: l, inside: 1}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inside[l.name] = e
	return &innerLease{l, e}
}

// Release leaves the lock once, and deletes the key with the last entry.
func (l *innerLease) Release(ctx context.Context) error {
	k := l.key
	k.mu.Lock()
	l.entry.inside--
	inside := l.entry.inside
	if inside <= 0 && k.inside[l.name] == l.entry {
		delete(k.inside, l.name)
	}
	over := !k.cfg.Clock.Now().Before(l.until)
	k.mu.Unlock()
	switch {
	case inside > 0 && k.cfg.does(InnerFrees):
		return l.keyLease.Release(ctx)
	case inside > 0 && over:
		return locks.ErrNotHeld
	case inside > 0:
		return nil
	}
	return l.keyLease.Release(ctx)
}
