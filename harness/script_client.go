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

// A Scripted is one client of a Script. A stopped one must not be told to begin anything: what
// it does on its own processor is stopped with it, what the harness does for it must be held
// back by the script.
type Scripted struct {
	script  *Script
	client  *client
	stopped *nemesis.Step
}

// Number is the number of the client, from 1.
func (c *Scripted) Number() int { return c.client.number }

// Acquire waits for the lock until ctx ends; in an election it campaigns. The error wraps
// ErrNotAcquired, ErrUnknown or ErrDead.
func (c *Scripted) Acquire(ctx context.Context, lock string) (*Grant, error) {
	return c.takeAs(ctx, lock, false, c.whole())
}

// Try asks for the lock once; a lock that cannot be asked so is waited for until ctx ends.
func (c *Scripted) Try(ctx context.Context, lock string) (*Grant, error) {
	return c.takeAs(ctx, lock, true, c.whole())
}

// ended gives the client a new process number after an unknown outcome. A process that is
// gone and was not killed is no outcome of the lock: the error says why instead.
func (c *Scripted) ended(err error) error {
	if !errors.Is(err, errUnknown) {
		return err
	}
	if broken := c.client.broken(); broken != nil {
		return broken
	}
	c.client.retire()
	return err
}

// Without is what a client works under that was not granted the lock and goes
// on all the same: no lease at all.
func (c *Scripted) Without(lock string) *Grant {
	return &Grant{&held{lock: lock, over: func() {}}}
}

// Release ends a lease. The error wraps ErrNotHeld if it had ended before.
func (c *Scripted) Release(ctx context.Context, g *Grant) error {
	return c.ended(c.client.tryRelease(ctx, g.h))
}

// Ask asks the lease how long it is valid. The error wraps ErrNotHeld if it is over.
func (c *Scripted) Ask(ctx context.Context, g *Grant) error {
	err := c.client.ask(ctx, g.h, false)
	if errors.Is(err, workloads.ErrGone) {
		return locks.ErrNotHeld
	}
	return c.ended(err)
}

// Do carries out an operation on the store under a lease: a read, a write or, with a Guard, a
// conditional write. Its Lock is that of the lease. The error wraps ErrStale or ErrConflict if
// the store refused it.
func (c *Scripted) Do(ctx context.Context, g *Grant, a workloads.Access) (string, error) {
	a.Lock = g.h.lock
	v, err := c.client.access(ctx, g.h, function(a), a)
	return v, c.ended(err)
}

func function(a workloads.Access) history.F {
	switch {
	case a.Guard != "":
		return history.CAS
	case a.Write:
		return history.Write
	}
	return history.Read
}

// A Message is an operation that is on its way to the store.
type Message struct {
	c  *client
	op history.Op
	a  workloads.Access
}

// Send begins an operation on the store, which does not get there before it
// is delivered.
func (c *Scripted) Send(g *Grant, a workloads.Access) (*Message, error) {
	a.Lock = g.h.lock
	op, err := c.client.invoke(accessOp(g.h, function(a), a))
	if err != nil {
		return nil, err
	}
	return &Message{c.client, op, a}, nil
}

// Deliver brings the message to the store and returns what that says.
func (m *Message) Deliver(ctx context.Context) (string, error) { return m.c.carry(ctx, m.op, m.a) }

// Stop stops the client's process and returns when it was seen stopped. where
// says for the history at what point of its work that is.
func (c *Scripted) Stop(ctx context.Context, where string) error {
	p, err := c.client.ownProcess()
	if err != nil {
		return fmt.Errorf("stop c%d: %w", c.client.number, err)
	}
	if err := p.Pause(ctx); err != nil {
		return fmt.Errorf("stop c%d: %w", c.client.number, err)
	}
	s := c.script.Struck(nemesis.Pause{}, nemesis.Step{Clients: []int{c.client.number}}, "stopped "+c.client.stood(where))
	c.stopped = &s
	return nil
}

// Continue lets a stopped client go on. The end of the pause is recorded
// before, so that nothing of the client seems to happen while it is stopped.
func (c *Scripted) Continue(ctx context.Context) error {
	if c.stopped == nil {
		return nil
	}
	p, err := c.client.ownProcess()
	if err != nil {
		return err
	}
	c.script.Healed(*c.stopped)
	c.stopped = nil
	return p.Resume(ctx)
}

// Stopped reports whether the client is stopped.
func (c *Scripted) Stopped() bool { return c.stopped != nil }

// Kill kills the client's process and returns when it is gone.
func (c *Scripted) Kill(ctx context.Context, where string) error {
	seen, err := c.client.kill(ctx, where)
	if err != nil {
		return err
	}
	c.script.Struck(nemesis.KillClient{}, nemesis.Step{Clients: []int{c.client.number}}, "killed "+seen)
	return nil
}

// Revive opens the lock of a killed client anew.
func (c *Scripted) Revive(ctx context.Context) error { return c.client.revive(ctx) }

// clocked is a locker whose own clock can be moved.
type clocked interface {
	SetClock(ctx context.Context, offset time.Duration) error
}

// SetClock moves the clock of the client's process by offset from the host's.
func (c *Scripted) SetClock(ctx context.Context, offset time.Duration) error {
	c.client.mu.Lock()
	l, ok := c.client.locker.(clocked)
	c.client.mu.Unlock()
	if !ok {
		return errInProcess
	}
	return l.SetClock(ctx, offset)
}
