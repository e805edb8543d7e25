package harness

import (
	"context"
	"errors"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

// A held is a lease of this run.
type held struct {
	client  *client
	lease   locks.Lease
	lock    string
	number  int64
	token   uint64
	lost    <-chan struct{} // nil if the lock reports no losses
	unwatch func()          // ends the watch for the loss; never nil
	counted bool            // the run's holdings count the lease

	granted int64 // time at which the acquire returned, in ns of the history

	untilMin, untilMax int64 // validity as last reported, in ns of the history; 0: never reported
}

// count counts the lease, unless the client was killed meanwhile.
func (h *held) count() {
	c := h.client
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	if c.life.alive {
		h.counted = true
		c.run.holdings.count(h.lock, c.number, 1)
	}
}

// uncount uncounts the lease when its release begins. A lock that was entered twice is still
// counted once.
func (h *held) uncount() {
	c := h.client
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	if h.counted && c.life.alive {
		c.run.holdings.count(h.lock, c.number, -1)
	}
	h.counted = false
}

// release ends a lease. It returns nil if the lease had ended before. For a killed client it
// releases nothing and returns errDead.
func (h *held) release(ctx context.Context) error {
	if err := h.tryRelease(ctx); !errors.Is(err, locks.ErrNotHeld) {
		return err
	}
	return nil
}

// tryRelease ends a lease and returns the lock's answer.
func (h *held) tryRelease(ctx context.Context) error {
	return h.releaseWithin(ctx, h.client.run.leaveLimit())
}

// releaseWithin ends a lease and waits at most wait for the answer.
func (h *held) releaseWithin(ctx context.Context, wait time.Duration) error {
	defer h.unwatch()
	c := h.client
	if c.gate.pass(ctx, "before release of "+h.lock, inside) != nil && c.life.dead() {
		return errDead
	}
	// A release must be sent even when the run ends.
	owed := context.WithoutCancel(ctx)
	h.uncount()
	closely := h.closely()
	if closely {
		c.run.probes.look(owed, h.lock, true)
	}
	op, err := c.life.invoke(history.Op{F: history.Release, Lock: h.lock, Lease: h.number, Token: h.token})
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(owed, wait)
	defer cancel()
	err = h.lease.Release(limit)
	switch {
	case err == nil:
		c.life.complete(op, history.OK, nil)
		if closely || h.closely() {
			c.run.probes.look(owed, h.lock, true)
		}
		return nil
	case errors.Is(err, locks.ErrNotHeld):
		op.Refused = history.ByServer
		c.life.complete(op, history.Fail, err)
		return err
	}
	c.life.complete(op, history.Info, err)
	if c.life.dead() {
		return errDead
	}
	return errUnknown
}

// releaseLimit bounds the wait for the answer to a release.
const releaseLimit = 2 * time.Second

// leaveLimit returns the limit of a release. It is longer for a barrier, because a party that
// leaves waits for the others.
func (r *Run) leaveLimit() time.Duration {
	if r.cfg.Traits.Kind != locks.DoubleBarrier {
		return releaseLimit
	}
	wait, _ := r.tail.patience()
	return wait
}

// closely reports whether to probe the servers directly before and directly after a release. A late
// release may end another client's lease; the two probes then show the lease present and gone. Each
// true result counts as a probe for closelyEvery.
func (h *held) closely() bool {
	return h.client.run.cfg.Prober != nil && h.overran() && h.client.run.probes.of(h.lock).closely()
}

// overran reports whether a lease is over by its last reported validity or by its TTL, or whether
// the lock has been granted to another client since.
func (h *held) overran() bool {
	r := h.client.run
	newest, now := r.demand.newestOf(h.lock), r.cfg.Now()
	return newest != h.client.number || h.untilMin > 0 && now >= h.untilMin ||
		r.cfg.Traits.LeastTTL > 0 && now-h.granted >= int64(r.cfg.TTL)
}
