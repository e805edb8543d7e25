package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/nemesis"
)

var _ nemesis.Client = (*client)(nil)

// errInProcess: faults that need a process of the client's own.
var errInProcess = errors.New("the client has no process of its own (it runs in-process)")

// Pause implements nemesis.Client.
func (c *client) Pause(ctx context.Context, bound time.Duration) (string, error) {
	where, err := c.gate.arm(ctx, inside, bound)
	if err != nil {
		return "", err
	}
	p, err := c.ownProcess()
	if err == nil {
		err = p.Pause(ctx)
	}
	if err != nil {
		c.gate.open()
		return "", fmt.Errorf("stop c%d: %w", c.number, err)
	}
	return c.stood(where), nil
}

// Resume implements nemesis.Client.
func (c *client) Resume(ctx context.Context) error {
	defer c.gate.open()
	p, err := c.ownProcess()
	if err != nil {
		return err
	}
	if c.dead() {
		return nil // killed while it was stopped
	}
	return p.Resume(ctx)
}

// Kill implements nemesis.Client.
func (c *client) Kill(ctx context.Context, bound time.Duration) (string, error) {
	where, err := c.gate.arm(ctx, inside, bound)
	if err != nil {
		return "", err
	}
	defer c.gate.open()
	p, err := c.ownProcess()
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.alive {
		return "", fmt.Errorf("%w: c%d was dead already", nemesis.ErrNotStruck, c.number)
	}
	if err := p.Kill(ctx); err != nil {
		return "", fmt.Errorf("kill c%d: %w", c.number, err)
	}
	c.alive = false
	c.record(history.Op{F: history.Crash, Type: history.Info, Process: c.process})
	if c.ended != nil {
		c.ended()
	}
	return c.where(where), nil
}

// HoldWrite implements nemesis.Client.
func (c *client) HoldWrite(ctx context.Context, bound time.Duration) (string, func(), error) {
	where, err := c.gate.arm(ctx, access, bound)
	if err != nil {
		return "", nil, err
	}
	if where == "" {
		c.gate.open()
		return "", nil, nemesis.ErrNotStruck
	}
	return c.stood(where), c.gate.open, nil
}

// ownProcess returns the client's locker if it can be stopped and killed.
func (c *client) ownProcess() (Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.locker.(Process)
	if !ok {
		return nil, errInProcess
	}
	return p, nil
}

// stood completes the description of where a fault struck.
func (c *client) stood(where string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.where(where)
}

func (c *client) where(where string) string {
	if where == "" {
		where = "outside its sections"
	}
	return fmt.Sprintf("c%d (process %d) %s", c.number, c.process, where)
}
