package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/internal/hostclock"
	"locktorture/nemesis"
)

// A clientClock moves the wall clock of the process of one replica.
type clientClock struct {
	nemesis.ClientClock
	boxed bool // replicas run in containers
}

// clientClockName is its name in app.yaml.
const clientClockName = "client-clock"

// Traits returns the traits of the fault.
func (c clientClock) Traits() nemesis.Traits {
	t := c.ClientClock.Traits()
	t.About = "the wall clock of one replica jumps ahead or back"
	return t
}

// Supports returns an error if there is no replica, or if its clock cannot be moved.
func (c clientClock) Supports(w *nemesis.World) error {
	if c.boxed {
		return errors.New("torture cannot move the clock of a process in a container")
	}
	if err := hostclock.Supported(); err != nil {
		return err
	}
	return c.ClientClock.Supports(w)
}

var _ nemesis.ClockedClient = (*replica)(nil)

// SkewClock implements nemesis.ClockedClient. It moves the clock of the process itself; processes
// that it has started use the host's clock.
func (r *replica) SkewClock(_ context.Context, offset time.Duration) (string, error) {
	q, err := r.present()
	if err != nil {
		return "", err
	}
	if q.clock == nil {
		return "", fmt.Errorf("%w: c%d was started without a clock of its own", nemesis.ErrNotStruck, r.number)
	}
	if err := q.clock.Set(offset); err != nil {
		return "", fmt.Errorf("%w: c%d: %w", nemesis.ErrNotStruck, r.number, err)
	}
	return r.where(), nil
}

// movesClocks reports whether the run may move the clock of a replica.
func (a *Act) movesClocks() bool { return slices.Contains(a.Work.Faults.Wanted, clientClockName) }
