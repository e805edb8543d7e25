package harness

import (
	"context"
	"errors"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/workloads"
)

// errUnknown reports an operation of unknown outcome. The client then retires its process.
var errUnknown = errors.New("outcome unknown")

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
		c.life.retire() // the client's next process releases the leases
		broken = nil
	}
	for i := len(leases) - 1; i >= 0; i-- {
		err := leases[i].release(ctx)
		if errors.Is(err, errUnknown) && i > 0 {
			c.life.retire() // the client's next process releases the other leases
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
	locker := c.life.current()
	call := func(ctx context.Context, name string) (locks.Lease, error) {
		return locks.Take(ctx, locker, name, claim)
	}
	limit, tail := c.run.tail.patience()
	if t := trier(locker); t != nil && try && !tail {
		f, call = history.Try, t.TryAcquire
	}
	op, err := c.life.invoke(claimed(history.Op{F: f, Lock: name}, claim))
	if err != nil {
		return nil, err
	}
	c.run.demand.sees(name)
	c.run.demand.asks(askOf(c.number, name, claim))
	if claim.Permits > 0 {
		c.run.demand.counts(name, claim.Capacity)
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	waiting := c.target.waits(f, name)
	lease, err := call(wait, name)
	over := wait.Err() != nil
	cancel()
	c.target.hears(waiting)
	if err != nil {
		return nil, c.notAcquired(op, err, over)
	}
	return c.obtained(ctx, op, lease, claim)
}

// obtained records a grant and returns its lease.
func (c *client) obtained(ctx context.Context, op history.Op, lease locks.Lease, claim locks.Claim) (*held, error) {
	called, name := op, op.Lock
	h := &held{client: c, lease: lease, lock: name, number: c.run.leases.Add(1), unwatch: func() {}}
	op.Lease, op.Value = h.number, ""
	if f, ok := lease.(locks.Fenced); ok && c.run.cfg.Traits.Token {
		h.token = f.Token()
		op.Token = h.token
	}
	if o, ok := lease.(locks.Owned); ok {
		op.Value = o.Owner()
	}
	done, alive := c.life.completeAlive(op)
	if !alive {
		return nil, c.notAcquired(called, errDead, false)
	}
	h.granted = done.Time
	h.count()
	c.run.tally.grants.Add(1)
	c.run.demand.granted(name, c.number)
	c.run.demand.gets(askOf(c.number, name, claim))
	if w, ok := lease.(locks.Watched); ok && c.run.cfg.Traits.Watched {
		h.watch(w, op.Process)
	}
	if c.run.cfg.Traits.Bounded {
		// Other answers need no handling here: the section notices the end of its lease at its
		// first store operation.
		if err := h.ask(ctx, !c.run.cfg.Careful); errors.Is(err, errUnknown) {
			c.life.retire() // the next process asks again, because a process has one operation in progress
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
		c.life.complete(op, history.Fail, err)
		return err
	}
	c.life.complete(op, history.Info, err)
	if c.life.dead() {
		return errDead
	}
	c.run.tail.doubt()
	return errUnknown
}
