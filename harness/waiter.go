package harness

import (
	"context"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
)

// waitsSurely is how long an acquire must have been under way before its client counts as a
// waiter: by then the service has heard of it.
const waitsSurely = 5 * time.Millisecond

// lookForWaiters is how often a fault looks whether its victim waits.
const lookForWaiters = 2 * time.Millisecond

// A wait is an acquire under way, or a wait for a latch.
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

// keepWaiting shuts the gate of a client that waits, so that it does not hear its answer until
// letGo is called. letGo is nil if the client does not wait.
func (c *client) keepWaiting() (where string, letGo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting
	if !c.alive || w == nil || time.Since(w.since) < waitsSurely || !c.run.occupied(w.lock, c.number) {
		return "", nil
	}
	return c.where(""), c.gate.shutNow()
}

// waits notes that the client waits from now on, if it does in this function.
func (c *client) waits(f history.F, lock string) *wait {
	if f == history.Try {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = &wait{lock: lock, since: time.Now()}
	return c.waiting
}

// hears ends a wait whose answer is there. A client that is stopped hears it when it goes on.
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
		c.run.count(h.lock, c.number, 1)
	}
}

// givesBack takes it back when its release begins. Of a lock that was entered twice one entry is
// left.
func (c *client) givesBack(h *held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.counted && c.alive {
		c.run.count(h.lock, c.number, -1)
	}
	h.counted = false
}

// A holding is how often a client has a lock.
type holding struct {
	lock   string
	client int
}

// count changes how often a client has a lock.
func (r *Run) count(lock string, client, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := holding{lock, client}
	if r.holdings[k] += by; r.holdings[k] <= 0 {
		delete(r.holdings, k)
	}
}

// died forgets what a client has: it is killed.
func (r *Run) died(client int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.holdings {
		if k.client == client {
			delete(r.holdings, k)
		}
	}
}

// occupied reports whether another client has the lock. Latches and barriers are waited for
// though nobody has them.
func (r *Run) occupied(lock string, client int) bool {
	if kind := r.cfg.Traits.Kind; kind == locks.CountDownLatch || kind == locks.DoubleBarrier {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.holdings {
		if k.lock == lock && k.client != client {
			return true
		}
	}
	return false
}
