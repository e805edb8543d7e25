package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A Scripted is one client of a Script. The script must not start a step of a paused client: the
// pause stops only the client's process, so the script must also hold back the steps that the
// harness takes for it.
type Scripted struct {
	script  *Script
	client  *client
	stopped *nemesis.Step
}

// Number returns the number of the client, counted from 1.
func (c *Scripted) Number() int { return c.client.number }

// Acquire waits for the lock until ctx ends. In an election it campaigns. Its error wraps
// ErrNotAcquired, ErrUnknown or ErrDead.
func (c *Scripted) Acquire(ctx context.Context, lock string) (*Grant, error) {
	return c.takeAs(ctx, lock, false, c.whole())
}

// Try asks for the lock once. If the lock always waits, Try waits until ctx ends.
func (c *Scripted) Try(ctx context.Context, lock string) (*Grant, error) {
	return c.takeAs(ctx, lock, true, c.whole())
}

// ended gives the client a new process number after an unknown outcome. If the process ended by
// itself, ended returns its error instead, because that is no outcome of the lock.
func (c *Scripted) ended(err error) error {
	if !errors.Is(err, errUnknown) {
		return err
	}
	if broken := c.client.life.broken(); broken != nil {
		return broken
	}
	c.client.life.retire()
	return err
}

// Without returns a Grant without a lease, for a client that ignores a refusal.
func (c *Scripted) Without(lock string) *Grant {
	return &Grant{&held{client: c.client, lock: lock, unwatch: func() {}}}
}

// Release ends a lease. Its error wraps ErrNotHeld if the lease had ended before.
func (c *Scripted) Release(ctx context.Context, g *Grant) error {
	return c.ended(g.h.tryRelease(ctx))
}

// Ask asks the lease for its validity. Its error wraps ErrNotHeld if the lease is over.
func (c *Scripted) Ask(ctx context.Context, g *Grant) error {
	err := g.h.ask(ctx, false)
	if errors.Is(err, workloads.ErrGone) {
		return locks.ErrNotHeld
	}
	return c.ended(err)
}

// Do carries out an operation on the store under a lease: a read, a write or, with a Guard, a
// conditional write. It sets a.Lock to the lock of the lease. Its error wraps ErrStale or
// ErrConflict if the store refused.
func (c *Scripted) Do(ctx context.Context, g *Grant, a workloads.Access) (string, error) {
	a.Lock = g.h.lock
	v, err := g.h.access(ctx, function(a), a)
	return v, c.ended(err)
}

// function returns the history's name of a store operation.
func function(a workloads.Access) history.F {
	switch {
	case a.Guard != "":
		return history.CAS
	case a.Write:
		return history.Write
	}
	return history.Read
}

// A Message is an operation on its way to the store.
type Message struct {
	c  *client
	op history.Op
	a  workloads.Access
}

// Send invokes an operation that reaches the store only when the Message is delivered.
func (c *Scripted) Send(g *Grant, a workloads.Access) (*Message, error) {
	a.Lock = g.h.lock
	op, err := c.client.life.invoke(g.h.accessOp(function(a), a))
	if err != nil {
		return nil, err
	}
	return &Message{c.client, op, a}, nil
}

// Deliver carries the message to the store and returns the store's answer.
func (m *Message) Deliver(ctx context.Context) (string, error) { return m.c.carry(ctx, m.op, m.a) }

// Stop pauses the client's process and returns once the process is seen stopped. where describes
// the point of the client's work for the history.
func (c *Scripted) Stop(ctx context.Context, where string) error {
	p, err := c.client.life.ownProcess()
	if err != nil {
		return fmt.Errorf("stop c%d: %w", c.client.number, err)
	}
	if err := p.Pause(ctx); err != nil {
		return fmt.Errorf("stop c%d: %w", c.client.number, err)
	}
	s := c.script.Struck(nemesis.Pause{}, nemesis.Step{Clients: []int{c.client.number}}, "stopped "+c.client.target.stood(where))
	c.stopped = &s
	return nil
}

// Continue lets a paused client go on. It records the end of the pause first, so that no step of
// the client appears inside the pause.
func (c *Scripted) Continue(ctx context.Context) error {
	if c.stopped == nil {
		return nil
	}
	p, err := c.client.life.ownProcess()
	if err != nil {
		return err
	}
	c.script.Healed(*c.stopped)
	c.stopped = nil
	return p.Resume(ctx)
}

// Stopped reports whether the client is stopped.
func (c *Scripted) Stopped() bool { return c.stopped != nil }

// Kill kills the client's process and returns once the process is gone.
func (c *Scripted) Kill(ctx context.Context, where string) error {
	seen, err := c.client.target.kill(ctx, where)
	if err != nil {
		return err
	}
	c.script.Struck(nemesis.KillClient{}, nemesis.Step{Clients: []int{c.client.number}}, "killed "+seen)
	return nil
}

// Revive reopens the lock of a killed client.
func (c *Scripted) Revive(ctx context.Context) error { return c.client.life.revive(ctx) }

// A clocked is a locker with a clock that can be set.
type clocked interface {
	SetClock(ctx context.Context, offset time.Duration) error
}

// SetClock sets the clock of the client's process to the host's time plus offset.
func (c *Scripted) SetClock(ctx context.Context, offset time.Duration) error {
	l, ok := c.client.life.current().(clocked)
	if !ok {
		return errInProcess
	}
	return l.SetClock(ctx, offset)
}
