package mutants

import (
	"context"
	"sync"

	"locktorture/locks"
)

// InnerUnrenewed makes the watchdog skip all renewals while the holder is inside an inner entry,
// and count each as done.
const InnerUnrenewed Switch = "inner-unrenewed"

// A Nested is the lock with a watchdog, which its holder may enter again. All entries of a hold
// share its token, validity and watchdog.
type Nested struct {
	*Key

	mu     sync.Mutex
	inside map[string]*nest
}

// A nest is a hold with the number of its client's entries.
type nest struct {
	*watchedLease
	depth int // guarded by the mu of the Nested
}

// A nestedLease is one entry of a nest.
type nestedLease struct {
	*nest
	lock *Nested
}

var (
	_ locks.Locker  = (*Nested)(nil)
	_ locks.Trier   = (*Nested)(nil)
	_ locks.Watched = (*nestedLease)(nil)
	_ locks.Bounded = (*nestedLease)(nil)
	_ locks.Fenced  = (*nestedLease)(nil)
)

// NewNested returns a client; it connects when it is first used.
func NewNested(c Config) *Nested { return &Nested{Key: NewWatched(c), inside: map[string]*nest{}} }

// NestedTraits returns the traits of the lock that NewNested makes.
func NestedTraits() locks.Traits {
	t := WatchedTraits()
	t.Reentrant = true
	return t
}

// Acquire enters the client's hold once more, or waits for a new one.
func (n *Nested) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return n.enter(ctx, name, n.Key.Acquire)
}

// TryAcquire enters the client's hold once more, or tries once to get a new one.
func (n *Nested) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return n.enter(ctx, name, n.Key.TryAcquire)
}

// enter counts an inner entry if the client holds the lock, and calls take otherwise.
func (n *Nested) enter(ctx context.Context, name string, take func(context.Context, string) (locks.Lease, error)) (locks.Lease, error) {
	n.mu.Lock()
	e := n.inside[name]
	if e != nil && n.cfg.Clock.Now().Before(e.Until()) {
		defer n.mu.Unlock()
		e.depth++
		e.nested.Store(e.depth > 1)
		return &nestedLease{e, n}, nil
	}
	n.mu.Unlock()
	l, err := take(ctx, name)
	if err != nil {
		return nil, err
	}
	e = &nest{l.(*watchedLease), 1}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inside[name] = e
	return &nestedLease{e, n}, nil
}

// Release leaves the lock once, and releases it with the last entry.
func (l *nestedLease) Release(ctx context.Context) error {
	l.lock.mu.Lock()
	l.depth--
	depth := l.depth
	l.nested.Store(depth > 1)
	if depth == 0 && l.lock.inside[l.name] == l.nest {
		delete(l.lock.inside, l.name)
	}
	l.lock.mu.Unlock()
	switch {
	case depth == 0:
		return l.watchedLease.Release(ctx)
	case !l.lock.cfg.Clock.Now().Before(l.Until()):
		return locks.ErrNotHeld
	}
	return nil
}
