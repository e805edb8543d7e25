package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// warm opens the client's connection by using a lock that no other client uses.
func (c *client) warm(ctx context.Context) error {
	for deadline := time.Now().Add(openLimit); ; {
		err := c.warmOnce(ctx)
		if err == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
		sleep(ctx, 50*time.Millisecond)
	}
}

func (c *client) warmOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	name := fmt.Sprintf("warm-%d", c.number)
	if l, ok := c.life.locker.(locks.Latch); ok && c.run.cfg.Traits.Kind == locks.CountDownLatch {
		if err := warmLatch(ctx, l, name); err != nil {
			return fmt.Errorf("connect client %d: %w", c.number, err)
		}
		return nil
	}
	kind, _ := locks.KindOf(c.run.cfg.Traits.Kind)
	l, err := locks.Take(ctx, c.life.locker, name, kind.Whole)
	if err != nil {
		return fmt.Errorf("connect client %d: %w", c.number, err)
	}
	if err := l.Release(ctx); err != nil && !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("connect client %d: %w", c.number, err)
	}
	return nil
}
