package harness

import (
	"context"
	"errors"
	"sync"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/workloads"
)

// ask asks the lease for its validity. ErrGone means that the lease is over. With forRecord, the
// harness asks for the record only, not on behalf of the client, and the entry is marked so.
func (h *held) ask(ctx context.Context, forRecord bool) error {
	c := h.client
	op, err := c.life.invoke(history.Op{F: history.Ask, Lock: h.lock, Lease: h.number, ForRecord: forRecord})
	if err != nil {
		return err
	}
	asked := op.Time
	left, err := remaining(ctx, h.lease)
	now := c.run.cfg.Now()
	switch {
	case errors.Is(err, locks.ErrNotHeld) || err == nil && left <= 0:
		op.Refused = history.ByClient
		c.life.complete(op, history.Fail, locks.ErrNotHeld)
		return workloads.ErrGone
	case err != nil:
		c.life.complete(op, history.Info, err)
		if c.life.dead() {
			return errDead
		}
		return errUnknown
	}
	op.SetValidity(history.Later(asked, left), history.Later(now, left))
	h.untilMin, h.untilMax = op.Validity()
	c.life.complete(op, history.OK, nil)
	return nil
}

// remaining returns the validity that a lease declares, from the interface that the lease
// implements.
func remaining(ctx context.Context, l locks.Lease) (time.Duration, error) {
	switch l := l.(type) {
	case locks.Asker:
		return l.Ask(ctx)
	case locks.Bounded:
		return time.Until(l.Until()), nil
	}
	return 0, errors.New("lease declares no validity although its backend says that leases do")
}

// watch records the loss of a lease when the lock reports it.
func (h *held) watch(w locks.Watched, process int) {
	c := h.client
	h.lost = w.Lost()
	over := make(chan struct{})
	h.unwatch = sync.OnceFunc(func() { close(over) })
	c.run.watches.Go(func() {
		select {
		case <-h.lost:
			op := history.Op{F: history.Lost, Type: history.Info, Process: process, Lock: h.lock, Lease: h.number, Token: h.token}
			if s, ok := h.lease.(stamped); ok {
				op.SetBegan(c.run.sinceStart(s.LostAt()))
			}
			select {
			case <-over: // released meanwhile: the holder never saw the loss
			default:
				c.life.record(op)
			}
		case <-over:
		case <-c.run.done:
		}
	})
}

// A stamped lease returns the time at which its driver reported the loss, as CLOCK_MONOTONIC in ns.
type stamped interface{ LostAt() int64 }
