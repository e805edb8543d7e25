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

// hire opens n clients. Each has taken and released what it will have to itself once, so
// that connections, sessions, tables and scripts are there before anything is measured.
func hire(ctx context.Context, c Config, side Side, n int) (*crew, error) {
	w := &crew{side: side, clients: make([]locks.Locker, n), patience: c.Patience, hold: c.Hold}
	var g errgroup.Group // its own context would end with it, and some clients with that
	g.SetLimit(8)
	for i := range n {
		g.Go(func() error {
			l, err := side.open(ctx, i+1)
			if err != nil {
				return fmt.Errorf("open client %d: %w", i+1, err)
			}
			w.clients[i] = l
			if _, err := w.round(ctx, l, side.own(i+1)); err != nil {
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

func (w *crew) round(ctx context.Context, l locks.Locker, name string) (r round, err error) {
	var released time.Time
	err = w.turn(ctx, l, name, func(asked time.Time) { r.acquire = time.Since(asked) }, func() { released = time.Now() })
	r.release = time.Since(released)
	return r, err
}

// turn is one grant, the hold, and the release. granted is called when the one is there,
// released directly before the other is asked for.
func (w *crew) turn(ctx context.Context, l locks.Locker, name string, granted func(asked time.Time), released func()) error {
	actx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	asked := time.Now()
	lease, err := w.side.take(actx, l, name)
	if err != nil {
		return fmt.Errorf("acquire: %w", err)
	}
	granted(asked)
	_ = pause(ctx, w.hold) // also who is called off releases
	// Also when the measurement is broken off: the next must find it free.
	rctx, stop := context.WithTimeout(context.WithoutCancel(ctx), w.patience)
	defer stop()
	released()
	if err := lease.Release(rctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
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
