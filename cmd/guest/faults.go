//go:build wasip1 || simulated

package main

import (
	"context"
	"errors"
	"fmt"

	"locktorture/harness"
	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/simulate/inside"
)

// A director brings the faults of the host to the harness. The host has done what can be done
// outside; what a pause and a kill do to a client of the harness is done here, by the same
// code as in a real run.
type director struct {
	lines chan inside.Message // from the host, between begin and over
	goOn  []chan struct{}     // of each client that waits at its gate
}

func newDirector(clients int) *director {
	d := &director{lines: make(chan inside.Message)}
	for range clients {
		d.goOn = append(d.goOn, make(chan struct{}, 1))
	}
	return d
}

// atGate is harness.Config.AtGate.
func (d *director) atGate(client int, step string) {
	if ask(inside.AskGate, client, step) != 0 {
		<-d.goOn[client-1]
	}
}

// direct is harness.Config.Outside.
func (d *director) direct(ctx context.Context, f *harness.Faults) error {
	for _, n := range faults.All() {
		f.Declare(n)
	}
	inPlace := map[int]*blow{}
	ask(inside.AskBegin)
	over := ctx.Done()
	var failed error // what waits is let go all the same
	for {
		select {
		case <-over:
			over = nil
			ask(inside.AskOver)
		case m := <-d.lines:
			failed = errors.Join(failed, d.do(ctx, f, m, inPlace))
			if m.Over {
				return failed
			}
		}
	}
}

// A blow is a fault that is in place.
type blow struct {
	step nemesis.Step
	undo func(context.Context) error // nil: the host has done it
}

// do carries out what the host says.
func (d *director) do(ctx context.Context, f *harness.Faults, m inside.Message, inPlace map[int]*blow) error {
	switch {
	case m.Strike != nil:
		return d.strike(ctx, f, m, inPlace)
	case m.Go > 0:
		d.goOn[m.Go-1] <- struct{}{}
	case m.Heal > 0:
		b := inPlace[m.Heal]
		if b == nil {
			return nil // it had struck nobody
		}
		delete(inPlace, m.Heal)
		if b.undo != nil {
			if err := b.undo(context.WithoutCancel(ctx)); err != nil {
				return fmt.Errorf("heal fault %d: %w", m.Heal, err)
			}
		}
		f.Healed(b.step)
	}
	return nil
}

func (d *director) strike(ctx context.Context, f *harness.Faults, m inside.Message, inPlace map[int]*blow) error {
	s := *m.Strike
	if m.Missed != "" {
		f.NotStruck(s, fmt.Errorf("%w: %s", nemesis.ErrNotStruck, m.Missed))
		return nil
	}
	b := &blow{step: s}
	var err error
	switch {
	case s.Fault == (nemesis.KillClient{}).Traits().Name:
		_, err = f.Clients()[s.Clients[0]-1].Kill(ctx)
	case s.Fault == (nemesis.Pause{}).Traits().Name && len(s.Clients) > 0:
		_, b.undo, err = f.Clients()[s.Clients[0]-1].Pause(ctx)
	case s.Fault == (nemesis.Restart{}).Traits().Name, s.Fault == (nemesis.Clock{}).Traits().Name:
		f.Began(s) // what is seen late on real servers is so at once here
	}
	switch {
	case errors.Is(err, nemesis.ErrNotStruck):
		f.NotStruck(s, err)
		return nil
	case err != nil:
		return fmt.Errorf("fault %d, %s: %w", s.N, s.Fault, err)
	}
	inPlace[s.N] = b
	f.Struck(s, m.Seen)
	return nil
}
