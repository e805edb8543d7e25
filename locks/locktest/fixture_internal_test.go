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
