package harness

import (
	"context"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
)

// waitsSurely is the age at which an acquire counts as waiting: by then the request has reached the
// service.
const waitsSurely = 5 * time.Millisecond

// lookForWaiters is the interval at which a fault checks whether its target is waiting.
const lookForWaiters = 2 * time.Millisecond

// A wait is an acquire in progress, or a wait for a latch.
type wait struct {
	lock  string
	since time.Time
}

// MeetWaiting implements nemesis.Client.
func (c *client) MeetWaiting(ctx context.Context, bound time.Duration) (string, func(), error) {
	for end := time.Now().Add(bound); ; sleep(ctx, lookForWaiters) {
		if where, letGo := c.keepWaiting(); letGo != nil {
			return where, letGo, nil
		}
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		if !time.Now().Before(end) {
			return "", nil, fmt.Errorf("%w: c%d did not wait within %v", nemesis.ErrNotStruck, c.number, bound)
		}
	}
}

// keepWaiting shuts the gate of a waiting client, so that the client does not receive its answer
// before the call of letGo. letGo is nil if the client does not wait.
func (c *client) keepWaiting() (where string, letGo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting
	if !c.alive || w == nil || time.Since(w.since) < waitsSurely || !c.run.occupied(w.lock, c.number) {
		return "", nil
	}
	return c.where(""), c.gate.shutNow()
}

// waits marks the client as waiting if the function f waits.
func (c *client) waits(f history.F, lock string) *wait {
	if f == history.Try {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = &wait{lock: lock, since: time.Now()}
	return c.waiting
}

// hears ends a wait when its answer arrives. A paused client receives the answer when its pause
// ends.
func (c *client) hears(w *wait) {
	for w != nil {
		c.mu.Lock()
		shut := c.gate.isShut()
		if shut == nil && c.waiting == w {
			c.waiting = nil
		}
		c.mu.Unlock()
		if shut == nil {
			return
		}
		<-shut
	}
}

// holds counts a lease of the client, unless the client was killed meanwhile.
func (c *client) holds(h *held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alive {
		h.counted = true
		c.run.holdings.count(h.lock, c.number, 1)
	}
}

// givesBack uncounts a lease of the client when its release begins. A lock that was entered twice
// is still counted once.
func (c *client) givesBack(h *held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.counted && c.alive {
		c.run.holdings.count(h.lock, c.number, -1)
	}
	h.counted = false
}

// occupied reports whether another client holds the lock. It is always true for latches and
// barriers, where clients wait although no client holds a lease.
func (r *Run) occupied(lock string, client int) bool {
	kind := r.cfg.Traits.Kind
	return kind == locks.CountDownLatch || kind == locks.DoubleBarrier || r.holdings.another(lock, client)
}
