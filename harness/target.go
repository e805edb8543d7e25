package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/nemesis"
)

var (
	_ nemesis.Client        = (*client)(nil)
	_ nemesis.ClockedClient = (*client)(nil)
)

// errInProcess refuses a fault that needs a separate process for the client.
var errInProcess = errors.New("the client has no process of its own (it runs in-process)")

// Meet implements nemesis.Client.
func (c *client) Meet(ctx context.Context, bound time.Duration) (string, func(), error) {
	where, open, err := c.gate.meet(ctx, working, bound)
	return c.met(where, open, err, bound)
}

// Pause implements nemesis.Client.
func (c *client) Pause(ctx context.Context) (string, func(context.Context) error, error) {
	open := c.gate.shutNow()
	if c.dead() { // its successor has not opened the lock yet
		open()
		return "", nil, fmt.Errorf("%w: c%d is dead", nemesis.ErrNotStruck, c.number)
	}
	p, err := c.ownProcess()
	if err == nil {
		err = p.Pause(ctx)
	}
	if err != nil {
		open()
		return "", nil, fmt.Errorf("stop c%d: %w", c.number, err)
	}
	// The gate stays shut until the end of the pause is recorded, because the client's next
	// step must not appear inside the pause.
	c.mu.Lock()
	c.shut = open
	c.mu.Unlock()
	resume := func(ctx context.Context) error {
		if c.dead() {
			return nil // the client was killed while it was paused
		}
		return p.Resume(ctx)
	}
	return c.stood(""), resume, nil
}

// goOn opens the client's gate once the end of a pause is recorded.
func (c *client) goOn() {
	c.mu.Lock()
	open := c.shut
	c.shut = nil
	c.mu.Unlock()
	if open != nil {
		open()
	}
}

// Kill implements nemesis.Client.
func (c *client) Kill(ctx context.Context) (string, error) {
	open := c.gate.shutNow()
	defer open()
	return c.kill(ctx, "")
}

// SkewClock implements nemesis.ClockedClient.
func (c *client) SkewClock(ctx context.Context, offset time.Duration) (string, error) {
	c.mu.Lock()
	locker, alive := c.locker, c.alive
	c.mu.Unlock()
	p, ok := locker.(interface {
		SetClock(ctx context.Context, offset time.Duration) error
	})
	switch {
	case !alive:
		return "", fmt.Errorf("%w: c%d is dead", nemesis.ErrNotStruck, c.number)
	case !ok:
		return "", errInProcess
	}
	err := p.SetClock(ctx, offset)
	switch {
	case err == nil:
		return fmt.Sprintf("c%d", c.number), nil
	case errors.Is(err, errors.ErrUnsupported), c.dead():
		return "", fmt.Errorf("%w: c%d: %w", nemesis.ErrNotStruck, c.number, err)
	}
	return "", fmt.Errorf("move the clock of c%d: %w", c.number, err)
}

// killLimit bounds the wait for the end of a killed process.
const killLimit = 10 * time.Second

// kill ends the client's process and records the crash.
func (c *client) kill(ctx context.Context, where string) (string, error) {
	p, err := c.ownProcess()
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.alive {
		return "", fmt.Errorf("%w: c%d was dead already", nemesis.ErrNotStruck, c.number)
	}
	struck := c.run.cfg.Now() // the service may notice the end of the process before the harness does
	// A kill that has begun is completed even if the phase ends meanwhile: a dying process must
	// not be recorded as alive.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
	defer cancel()
	err = p.Kill(limit)
	c.alive = false
	op := history.Op{F: history.Crash, Type: history.Info, Process: c.process}
	op.SetBegan(struck)
	c.record(op)
	c.run.holdings.died(c.number)
	if c.ended != nil {
		c.ended()
	}
	if err != nil {
		return "", fmt.Errorf("kill c%d: %w", c.number, err)
	}
	return c.where(where), nil
}

// HoldWrite implements nemesis.Client.
func (c *client) HoldWrite(ctx context.Context, bound time.Duration) (string, func(), error) {
	return c.holdAt(ctx, writing, bound)
}

// Linger implements nemesis.Client.
func (c *client) Linger(ctx context.Context, bound time.Duration) (string, func(), error) {
	return c.holdAt(ctx, working, bound)
}

func (c *client) holdAt(ctx context.Context, at place, bound time.Duration) (string, func(), error) {
	where, open, err := c.gate.armAt(ctx, at, bound)
	return c.met(where, open, err, bound)
}

// met returns the result of a strike at the gate. An empty where means that the strike timed out
// after bound.
func (c *client) met(where string, open opening, err error, bound time.Duration) (string, func(), error) {
	if err != nil {
		return "", nil, err
	}
	if where == "" {
		return "", nil, fmt.Errorf("%w: c%d did not come to a place for this fault within %v", nemesis.ErrNotStruck, c.number, bound)
	}
	return c.stood(where), open, nil
}

// ownProcess returns the client's locker as a process that can be stopped and killed.
func (c *client) ownProcess() (Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.locker.(Process)
	if !ok {
		return nil, errInProcess
	}
	return p, nil
}

// stood returns the place at which a fault struck, with the client's name: "c2 waiting for lock-1".
func (c *client) stood(where string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.where(where)
}

func (c *client) where(where string) string {
	switch {
	case where != "":
	case c.waiting != nil:
		where = "waiting for " + c.waiting.lock
	default:
		where = "outside its sections"
	}
	return fmt.Sprintf("c%d %s", c.number, where)
}
