package locks_test

import (
	"context"
	"testing"

	"locktorture/locks"
	"locktorture/locks/control"
)

// TestWithin checks what a locker is called with, and that a prefix hides no capability.
func TestWithin(t *testing.T) {
	if got := locks.Key("lock:", "a"); got != "lock:a" {
		t.Errorf("without a prefix: %q", got)
	}
	seen := &asked{}
	l := locks.Within("mine:", seen)
	_, _ = l.Acquire(t.Context(), "a")
	if got := locks.Key("lock:", seen.name); got != "mine:lock:a" {
		t.Errorf("key %q, want mine:lock:a", got)
	}
	if _, ok := l.(locks.Trier); ok {
		t.Error("a locker that cannot try has learnt it")
	}
	if _, ok := locks.Within("mine:", control.NewNone("p1")).(locks.Trier); !ok {
		t.Error("a locker that can try has forgotten it")
	}
}

// asked remembers the name that it was asked for.
type asked struct{ name string }

func (a *asked) Acquire(_ context.Context, name string) (locks.Lease, error) {
	a.name = name
	return nil, locks.ErrNotAcquired
}

func (a *asked) Close() error { return nil }
