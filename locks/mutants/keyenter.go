package mutants

import (
	"context"
	"fmt"
	"time"

	"locktorture/locks"
)

// The switches of the lock that its holder may enter again.
const (
	InnerFrees Switch = "inner-frees" // the release of an inner entry releases the lock
	InnerDraws Switch = "inner-draws" // an inner entry draws its own token
)

// A keyEntry is the hold of a client with the number of its entries.
type keyEntry struct {
	lease  *keyLease
	inside int // guarded by the mu of the Key
}

// An innerLease is one entry. All entries of a hold share its name, token and validity.
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

// anew returns a further entry of a client that holds the lock, or believes so. If the
// client's validity is over, anew asks the server, which may keep the lock a little longer
// because its TTL starts later. It returns neither a lease nor an error if the client holds
// nothing.
func (k *Key) anew(ctx context.Context, name string) (locks.Lease, error) {
	if l := k.again(name); l != nil {
		return k.drawn(ctx, l)
	}
	k.mu.Lock()
	e := k.inside[name]
	k.mu.Unlock()
	if e == nil {
		return nil, nil
	}
	rctx, cancel := request(ctx)
	defer cancel()
	sent := k.cfg.Clock.Now()
	n, err := renewScript.Run(rctx, k.rdb, []string{k.lockKey(name)}, e.lease.owner, k.cfg.TTL.Milliseconds()).Int64()
	if err != nil {
		return nil, fmt.Errorf("entry was not answered: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if n == 0 {
		delete(k.inside, name)
		return nil, nil
	}
	e.lease.until, e.inside = sent.Add(k.cfg.TTL), e.inside+1
	return &innerLease{e.lease, e}, nil
}

// drawn gives an entry its own token if the switch is InnerDraws.
func (k *Key) drawn(ctx context.Context, l locks.Lease) (locks.Lease, error) {
	inner, ok := l.(*innerLease)
	if !ok || !k.cfg.does(InnerDraws) {
		return l, nil
	}
	own := *inner.keyLease
	if err := k.draw(ctx, &own); err != nil {
		return nil, err
	}
	return &innerLease{&own, inner.entry}, nil
}

// Until returns the end of the hold's validity.
func (l *innerLease) Until() time.Time {
	l.key.mu.Lock()
	defer l.key.mu.Unlock()
	return l.entry.lease.Until()
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
	over := !k.cfg.Clock.Now().Before(l.entry.lease.until)
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
