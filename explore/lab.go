package explore

import (
	"context"
	"errors"

	"locktorture/checker"
	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

// A Lab holds the servers for the trials of one lock.
type Lab struct {
	Guests Guests
	Arenas []*search.Arena
}

// Open starts the servers for atOnce parallel trials. The lab takes over the guests: Close
// closes them, and so does Open if it fails.
func Open(ctx context.Context, g Guests, o inside.Order, inv checker.Invariant, atOnce int) (*Lab, error) {
	l := &Lab{Guests: g}
	for n := range atOnce {
		a, err := search.NewArena(ctx, g.Harness, o, inv)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		a.Driver, a.Cluster = g.Clients, g.Cluster
		if atOnce > 1 {
			a.Processor = n + 1
		}
		l.Arenas = append(l.Arenas, a)
	}
	return l, nil
}

// Close stops the servers and frees the guests.
func (l *Lab) Close() error {
	var errs []error
	for _, a := range l.Arenas {
		errs = append(errs, a.Close())
	}
	return errors.Join(append(errs, l.Guests.Close())...)
}

// Play plays one trial and judges it.
func (l *Lab) Play(ctx context.Context, t search.Trial) (*search.Outcome, error) {
	return l.Arenas[0].Play(ctx, t)
}
