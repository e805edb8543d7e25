package nemesis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNotStruck reports that no victim appeared within the bound, so that nothing was changed. It is
// no failure of the harness: the fault counts as not struck.
var ErrNotStruck = errors.New("fault had no target")

// ErrNotHealed reports that a fault was injected in part and could not be undone.
var ErrNotHealed = errors.New("fault not undone")

// Kinds maps the names of a run's faults to the faults.
type Kinds = map[string]Nemesis

// A Checker is a Nemesis that can check a step of a stored schedule before the run. Inject checks
// the same.
type Checker interface {
	Check(w *World, s Step) error
}

// A Span is a range of durations in units of the TTL. The zero value stands for the default of the
// fault.
type Span struct{ Least, Most float64 }

// draw returns a duration of the span, or of def if s is zero.
func (s Span) draw(d *Draw, ttl time.Duration, def Span) time.Duration {
	if s == (Span{}) {
		s = def
	}
	return time.Duration((s.Least + d.Float64()*(s.Most-s.Least)) * float64(ttl))
}

// undoLimit bounds the clean-up after a failed Inject.
const undoLimit = 15 * time.Second

// undo runs heal after an Inject that stopped with err, also when ctx has ended, and returns the
// error that Inject must return.
func undo(ctx context.Context, err error, heal func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoLimit)
	defer cancel()
	if herr := heal(ctx); herr != nil {
		return fmt.Errorf("%w: after %v: %v", ErrNotHealed, err, herr)
	}
	return err
}

// uninterrupted returns a context for a short action that the end of the run must not interrupt,
// because half an action would look like a failure. It returns the error of a context that has
// ended already.
func uninterrupted(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoLimit)
	return ctx, cancel, nil
}

// checkMode returns an error unless mode is one of modes.
func checkMode(mode string, modes ...string) error {
	if slices.Contains(modes, mode) {
		return nil
	}
	return fmt.Errorf("mode %q is not one of %s", mode, strings.Join(modes, ", "))
}

// theClient returns the one client of a step.
func theClient(w *World, s Step) (Client, error) {
	if len(s.Clients) != 1 {
		return nil, fmt.Errorf("needs one client, not %d", len(s.Clients))
	}
	if c := s.Clients[0]; c < 1 || c > len(w.Clients) {
		return nil, fmt.Errorf("there is no client %d; the number of clients is %d", c, len(w.Clients))
	}
	return w.Clients[s.Clients[0]-1], nil
}
