package anchor

import (
	"context"
	"errors"
	"fmt"

	"locktorture/nemesis"
	"locktorture/nemesis/points/schedule"
)

// blow applies the fault of a decision. The error wraps nemesis.ErrNotStruck if there was no
// victim.
func (d *Director) blow(b *blow, m *message) error {
	switch b.Kind {
	case schedule.Pause:
		return d.pause(b)
	case schedule.Kill:
		return d.kill(b)
	case schedule.Hold:
		return d.hold(b, m)
	case schedule.Drop:
		return d.drop(b, m)
	case schedule.Reset:
		return d.reset(b, m)
	case schedule.Reorder:
		return d.reorder(b, m)
	case schedule.Compact, schedule.Revoke:
		return d.errand(b)
	}
	return d.inject(b)
}

// pause stops the process of the client at any place, and closes its gate.
func (d *Director) pause(b *blow) error {
	_, resume, err := d.client(b).Pause(context.Background())
	d.mu.Lock()
	dead := d.dead[b.At.Client]
	d.mu.Unlock()
	switch {
	case err != nil && dead:
		return notStruck("c%d is dead: %v", b.At.Client, err)
	case err != nil:
		return err
	}
	d.hit(b, resume)
	return nil
}

func (d *Director) kill(b *blow) error {
	d.mu.Lock()
	d.dead[b.At.Client] = true
	d.mu.Unlock()
	if _, err := d.client(b).Kill(context.Background()); err != nil {
		return err
	}
	d.hit(b, nil)
	return nil
}

func (d *Director) client(b *blow) nemesis.Client { return d.log.Clients()[b.At.Client-1] }

// inject strikes with a fault of package nemesis.
func (d *Director) inject(b *blow) error {
	w := *d.world
	w.Clients = d.log.Clients()
	w.Begins = func() { d.log.Began(b.step) }
	_, heal, err := d.kinds[b.step.Fault].Inject(context.Background(), &w, injected(b.Decision, b.step))
	if err != nil {
		return err
	}
	d.hit(b, heal)
	return nil
}

// injected returns the step with the further fields that a fault of package nemesis requires:
// the mode and the rate.
func injected(d schedule.Decision, s nemesis.Step) nemesis.Step {
	switch d.Kind {
	case schedule.Clock, schedule.Skew:
		s.Rate, s.Mode = 1, nemesis.ClockAhead
		if d.By < 0 {
			s.Mode = nemesis.ClockBack
		}
	case schedule.Stop:
		s.Mode = nemesis.PauseNode
	case schedule.Pause:
		s.Mode = nemesis.PauseClient
	}
	return s
}

var errVirtual = errors.New("clients reach all these servers through one address, so a message cannot be matched to one of them")

// errNot reports that a server is not a Redis, so that the named message does not exist there.
func errNot(name string, node int) error {
	return fmt.Errorf("server %d is %s, not redis-%d, so none of its messages has that name", node, name, node)
}
