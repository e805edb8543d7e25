package locktest

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/locks"
)

// TestInVain: a request that the servers did not answer in time is made again with more time;
// one that was answered, rightly or wrongly, is not.
func TestInVain(t *testing.T) {
	unheard := errors.New("no answer")
	for _, c := range []struct {
		name    string
		answer  error
		heard   int // the first request that the servers answer in its time
		asked   int
		unknown bool
	}{
		{"refused at once", locks.ErrNotAcquired, 1, 1, false},
		{"refused by slow servers", locks.ErrNotAcquired, 3, 3, false},
		{"granted", nil, 1, 1, false},
		{"never answered", unheard, 5, 4, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &fixture{Suite: Suite{TTL: 400 * time.Millisecond, Traits: locks.Traits{Bounded: true}}}
			asked := 0
			_, _, err := b.inVain(t.Context(), 10*time.Millisecond, func(ctx context.Context) error {
				asked++
				answer := c.answer
				if asked < c.heard {
					answer = unheard
				}
				return turnedAway(ctx, released{}, answer, "a request")
			})
			if asked != c.asked || errors.Is(err, errNotKnown) != c.unknown || (err == nil) != errors.Is(c.answer, locks.ErrNotAcquired) {
				t.Errorf("asked %d times: %v; want %d times, unknown %v", asked, err, c.asked, c.unknown)
			}
		})
	}
}

// released is a lease whose release succeeds.
type released struct{ locks.Lease }

func (released) Release(context.Context) error { return nil }

// TestPermitsLeftBehind: a lock is not accused of a permit that was kept by a request whose outcome is
// not known.
func TestPermitsLeftBehind(t *testing.T) {
	for unheard, passes := range map[int]bool{0: true, 2: true, 1000: false} {
		b := &fixture{Suite: Suite{TTL: time.Second}, clients: map[int]locks.Locker{}}
		s := &forgetful{taken: map[string]int{}, unheard: unheard}
		for n := range 3 {
			b.clients[n+1] = s
		}
		if err := permits(t.Context(), b); (err == nil) != passes {
			t.Errorf("%d requests without an answer: %v", unheard, err)
		}
	}
}

// A forgetful semaphore keeps a permit if a request for more than there are is among the first, and
// does not answer it.
type forgetful struct {
	locks.Locker
	taken   map[string]int
	unheard int
}

func (s *forgetful) AcquirePermits(_ context.Context, name string, n, capacity int) (locks.Lease, error) {
	switch {
	case s.taken[name]+n <= capacity:
		s.taken[name] += n
		return &permitsOf{s: s, name: name, n: n}, nil
	case s.unheard > 0:
		s.unheard--
		s.taken[name] = min(s.taken[name]+1, capacity)
		return nil, errors.New("no answer")
	}
	return nil, locks.ErrNotAcquired
}

// permitsOf is a lease of a forgetful semaphore.
type permitsOf struct {
	locks.Lease
	s    *forgetful
	name string
	n    int
}

func (l *permitsOf) Release(context.Context) error {
	if l.n == 0 {
		return locks.ErrNotHeld
	}
	l.s.taken[l.name] -= l.n
	l.n = 0
	return nil
}
