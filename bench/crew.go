package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"locktorture/locks"
)

// A crew is the clients of one side, connected and warmed up.
type crew struct {
	side     Side
	clients  []locks.Locker
	patience time.Duration
	hold     time.Duration // between grant and release
}

// hire opens n clients. Each has taken and released a lock of its own once, so
// that connections, sessions, tables and scripts are there before anything is measured.
func hire(ctx context.Context, c Config, side Side, n int) (*crew, error) {
	w := &crew{side: side, clients: make([]locks.Locker, n), patience: c.Patience, hold: c.Hold}
	var g errgroup.Group // its own context would end with it, and some clients with that
	g.SetLimit(8)
	for i := range n {
		g.Go(func() error {
			l, err := side.Open(ctx, i+1)
			if err != nil {
				return fmt.Errorf("open client %d: %w", i+1, err)
			}
			w.clients[i] = l
			if _, err := w.round(ctx, l, nameOf(side, "own", i+1)); err != nil {
				return fmt.Errorf("client %d: %w", i+1, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("%s: %w", side.Name, errors.Join(err, w.close()))
	}
	return w, nil
}

// hireAll hires a crew for every side.
func hireAll(ctx context.Context, c Config, sides []Side, n func(side int) int) (crews []*crew, dismiss func() error, err error) {
	dismiss = func() error {
		var errs []error
		for _, w := range crews {
			errs = append(errs, w.close())
		}
		return errors.Join(errs...)
	}
	for i, side := range sides {
		w, err := hire(ctx, c, side, n(i))
		if err != nil {
			return nil, nil, errors.Join(err, dismiss())
		}
		crews = append(crews, w)
	}
	return crews, dismiss, nil
}

// A round is one acquire and its release.
type round struct{ acquire, release time.Duration }

func (w *crew) round(ctx context.Context, l locks.Locker, name string) (round, error) {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	start := time.Now()
	lease, err := l.Acquire(ctx, name)
	if err != nil {
		return round{}, fmt.Errorf("acquire: %w", err)
	}
	took := time.Since(start)
	_ = pause(ctx, w.hold) // also who is called off releases
	begin := time.Now()
	// Also when the measurement is broken off: the next must find it free.
	if err := lease.Release(context.WithoutCancel(ctx)); err != nil {
		return round{}, fmt.Errorf("release: %w", err)
	}
	return round{took, time.Since(begin)}, nil
}

// close closes the clients that were opened.
func (w *crew) close() error {
	var errs []error
	for _, l := range w.clients {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	return errors.Join(errs...)
}
