package harness

import (
	"context"
	"errors"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/workloads"
)

// errUnknown reports an operation of unknown outcome. The client then retires its process.
var errUnknown = errors.New("outcome unknown")

// A held is a lease of this run.
type held struct {
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

// section carries out one critical section. It returns nil, errUnknown, errDead, or an error of the
// harness.
func (c *client) section(ctx context.Context, s workloads.Section, fenced bool) error {
	var leases []*held
	var broken error
	if s.Before != nil {
		broken = s.Before(ctx, c.beside(s.Locks[0], s, fenced))
	}
	for _, name := range s.Locks {
		if s.Unheld || broken != nil {
			break
		}
		h, err := c.acquire(ctx, name, s.Try, c.claim(s, name))
		if err != nil {
			broken = err
			break
		}
		leases = append(leases, h)
	}
	switch {
	case broken != nil:
	case s.Unheld:
		broken = s.Run(ctx, c.beside(s.Locks[0], s, fenced))
	default:
		broken = s.Run(ctx, &holderStore{client: c, leases: leases, hold: s.Hold, fenced: fenced})
	}
	if errors.Is(broken, errUnknown) && len(leases) > 0 {
		c.retire() // the client's next process releases the leases
		broken = nil
	}
	for i := len(leases) - 1; i >= 0; i-- {
		err := c.release(ctx, leases[i])
		if errors.Is(err, errUnknown) && i > 0 {
			c.retire() // the client's next process releases the other leases
			err = nil
		}
		if err != nil {
			broken = err
		}
	}
	switch {
	case errors.Is(broken, locks.ErrNotAcquired), errors.Is(broken, workloads.ErrGone),
		errors.Is(broken, workloads.ErrStale), errors.Is(broken, context.Canceled):
		return nil
	case errors.Is(broken, workloads.ErrUnanswered):
		return errUnknown
	}
	return broken
}

// acquire acquires a lock and asks the lease at once for its validity.
func (c *client) acquire(ctx context.Context, name string, try bool, claim locks.Claim) (*held, error) {
	f := history.Acquire
	c.mu.Lock()
	locker := c.locker
	c.mu.Unlock()
	call := func(ctx context.Context, name string) (locks.Lease, error) {
		return locks.Take(ctx, locker, name, claim)
	}
	limit, tail := c.run.tail.patience()
	if t := trier(locker); t != nil && try && !tail {
		f, call = history.Try, t.TryAcquire
	}
	op, err := c.invoke(claimed(history.Op{F: f, Lock: name}, claim))
	if err != nil {
		return nil, err
	}
	c.run.demand.sees(name)
	c.run.demand.asks(askOf(c.number, name, claim))
	if claim.Permits > 0 {
		c.run.demand.counts(name, claim.Capacity)
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	waiting := c.waits(f, name)
	lease, err := call(wait, name)
	over := wait.Err() != nil
	cancel()
	c.hears(waiting)
	if err != nil {
		return nil, c.notAcquired(op, err, over)
	}
	return c.obtained(ctx, op, lease, claim)
}

// obtained records a grant and returns its lease.
func (c *client) obtained(ctx context.Context, op history.Op, lease locks.Lease, claim locks.Claim) (*held, error) {
	called, name := op, op.Lock
	h := &held{lease: lease, lock: name, number: c.run.leases.Add(1), unwatch: func() {}}
	op.Lease, op.Value = h.number, ""
	if f, ok := lease.(locks.Fenced); ok && c.run.cfg.Traits.Token {
		h.token = f.Token()
		op.Token = h.token
	}
	if o, ok := lease.(locks.Owned); ok {
		op.Value = o.Owner()
	}
	done, alive := c.completeAlive(op)
	if !alive {
		return nil, c.notAcquired(called, errDead, false)
	}
	h.granted = done.Time
	c.holds(h)
	c.run.tally.grants.Add(1)
	c.run.demand.granted(name, c.number)
	c.run.demand.gets(askOf(c.number, name, claim))
	if w, ok := lease.(locks.Watched); ok && c.run.cfg.Traits.Watched {
		c.watch(h, w, op.Process)
	}
	if c.run.cfg.Traits.Bounded {
		// Other answers need no handling here: the section notices the end of its lease at its
		// first store operation.
		if err := c.ask(ctx, h, !c.run.cfg.Careful); errors.Is(err, errUnknown) {
			c.retire() // the next process asks again, because a process has one operation in progress
		}
	}
	return h, nil
}

// trier returns the locker if it supports TryAcquire, else nil. For a driver this is known only at
// run time.
func trier(l locks.Locker) locks.Trier {
	if d, ok := l.(interface{ Trier() bool }); ok && !d.Trier() {
		return nil
	}
	t, _ := l.(locks.Trier)
	return t
}

// notAcquired records an acquire that returned no lease. over is true if the client's deadline had
// passed.
func (c *client) notAcquired(op history.Op, err error, over bool) error {
	if over {
		op.Refused = history.ByTime
	}
	if errors.Is(err, locks.ErrNotAcquired) {
		if !over {
			op.Refused = history.ByServer
		}
		c.complete(op, history.Fail, err)
		return err
	}
	c.complete(op, history.Info, err)
	if c.dead() {
		return errDead
	}
	c.run.tail.doubt()
	return errUnknown
}

// release ends a lease. It returns nil if the lease had ended before. For a killed client it
// releases nothing and returns errDead.
func (c *client) release(ctx context.Context, h *held) error {
	if err := c.tryRelease(ctx, h); !errors.Is(err, locks.ErrNotHeld) {
		return err
	}
	return nil
}

// tryRelease ends a lease and returns the lock's answer.
func (c *client) tryRelease(ctx context.Context, h *held) error {
	return c.releaseWithin(ctx, h, c.run.leaveLimit())
}

// releaseWithin ends a lease and waits at most wait for the answer.
func (c *client) releaseWithin(ctx context.Context, h *held, wait time.Duration) error {
	defer h.unwatch()
	if c.gate.pass(ctx, "before release of "+h.lock, inside) != nil && c.dead() {
		return errDead
	}
	// A release must be sent even when the run ends.
	owed := context.WithoutCancel(ctx)
	c.givesBack(h)
	closely := c.closely(h)
	if closely {
		c.run.probes.look(owed, h.lock, true)
	}
	op, err := c.invoke(history.Op{F: history.Release, Lock: h.lock, Lease: h.number, Token: h.token})
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(owed, wait)
	defer cancel()
	err = h.lease.Release(limit)
	switch {
	case err == nil:
		c.complete(op, history.OK, nil)
		if closely || c.closely(h) {
			c.run.probes.look(owed, h.lock, true)
		}
		return nil
	case errors.Is(err, locks.ErrNotHeld):
		op.Refused = history.ByServer
		c.complete(op, history.Fail, err)
		return err
	}
	c.complete(op, history.Info, err)
	if c.dead() {
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

// dead reports whether the client was killed.
func (c *client) dead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.alive
}
