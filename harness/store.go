package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/internal/wire"
	"locktorture/workloads"
)

// A holderStore is the protected resource as one holder uses it. It records every operation. If
// the client is careful, it asks the lease before each operation. The client's gate stands
// between that question and the operation.
type holderStore struct {
	client *client
	leases []*held
	hold   time.Duration // the rest of the section's work
	fenced bool
	done   int  // operations so far
	wrote  bool // one of them was a write
}

var _ workloads.Store = (*holderStore)(nil)

// Read reads a key.
func (s *holderStore) Read(ctx context.Context, key string) (string, error) {
	return s.do(ctx, history.Op{F: history.Read, Key: key})
}

// Write writes a key.
func (s *holderStore) Write(ctx context.Context, key, value string) error {
	_, err := s.do(ctx, history.Op{F: history.Write, Key: key, Value: value})
	return err
}

func (s *holderStore) do(ctx context.Context, op history.Op) (string, error) {
	c := s.client
	s.work(ctx, op.F == history.Write)
	h := s.leaseOf(op.Key)
	if s.done > 1 {
		if c.gate.pass(ctx, fmt.Sprintf("at work in its section, lease %d", h.number), working) != nil {
			return "", workloads.ErrGone
		}
	}
	if err := s.check(ctx, h); err != nil {
		return "", err
	}
	write, at := op.F == history.Write, access
	if write {
		at = writing
	}
	if err := c.gate.pass(ctx, fmt.Sprintf("between check and %s of %s, lease %d", op.F, op.Key, h.number), at); err != nil {
		if c.dead() {
			return "", errDead
		}
		return "", workloads.ErrGone
	}
	if ctx.Err() != nil {
		return "", workloads.ErrGone
	}
	if err := c.askForRecord(ctx, h); err != nil {
		return "", err
	}
	return c.access(ctx, h, op.F, workloads.Access{
		Lock: h.lock, Token: h.token, Fenced: s.fenced, Write: write, Key: op.Key, Value: op.Value,
	})
}

// work spends the section's time between its first operation and its effect: before the second
// operation, or before the first write if the section has read more in between.
func (s *holderStore) work(ctx context.Context, write bool) {
	s.done++
	share := time.Duration(0)
	switch {
	case write && s.done > 1 || s.done == 2 && s.wrote:
		share = s.hold
	case s.done == 2:
		share = s.hold / 2
	}
	s.wrote = s.wrote || write
	s.hold -= share
	if share > 0 {
		sleep(ctx, share)
	}
}

// access carries out and records one operation on the store.
func (c *client) access(ctx context.Context, h *held, f history.F, a workloads.Access) (string, error) {
	op, err := c.invoke(accessOp(h, f, a))
	if err != nil {
		return "", err
	}
	return c.carry(ctx, op, a)
}

// accessOp returns the entry of an operation on the store.
func accessOp(h *held, f history.F, a workloads.Access) history.Op {
	op := history.Op{F: f, Lock: h.lock, Lease: h.number, Token: a.Token, Store: history.Plain, Key: a.Key, Value: a.Value, Guard: a.Guard, Expect: a.Want}
	if a.Fenced {
		op.Store = history.Fenced
	}
	return op
}

// carry brings an invoked operation to the store and records its end.
func (c *client) carry(ctx context.Context, op history.Op, a workloads.Access) (string, error) {
	// An operation that has begun is completed even if the run ends meanwhile.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	value, apply, err := c.run.cfg.Resource.Do(limit, a)
	switch {
	case errors.Is(err, workloads.ErrStale):
		op.Refused = history.ByStore
		c.complete(op, history.Fail, err)
		c.run.refused.Add(1)
	case errors.Is(err, workloads.ErrConflict):
		op.Refused = history.ByStore
		c.complete(op, history.Fail, err)
	case err != nil:
		c.complete(op, history.Info, err)
		return "", errUnknown
	default:
		op.Apply = apply
		if !a.Write {
			op.Value = value
		}
		c.complete(op, history.OK, nil)
	}
	return value, err
}

// storeLimit bounds a store operation that gets no answer.
const storeLimit = 5 * time.Second

// leaseOf returns the lease that guards a key; the first lease if no held lock guards it.
func (s *holderStore) leaseOf(key string) *held {
	for _, h := range s.leases {
		if _, ok := wire.KeyOf(h.lock, key); ok {
			return h
		}
	}
	return s.leases[0]
}

// overSoon is how long before its end a validity is asked for again: more than the time between
// the question and the record of the operation.
const overSoon = 10 * time.Millisecond

// askForRecord asks a lease again if its last reported validity would be over by now. A
// watchdog goes on renewing while an operation is held back, and only the lock knows the
// result. The answer is recorded and changes nothing: the operation goes on even if the lease
// is over.
func (c *client) askForRecord(ctx context.Context, h *held) error {
	if !c.run.cfg.Traits.Bounded || h.untilMin == 0 || c.run.cfg.Now()+int64(overSoon) < h.untilMin {
		return nil
	}
	if err := c.ask(ctx, h, true); !errors.Is(err, workloads.ErrGone) {
		return err
	}
	return nil
}

// check asks the lease before an operation, if the client is careful.
func (s *holderStore) check(ctx context.Context, h *held) error {
	c := s.client
	if c.dead() {
		return errDead
	}
	if !c.run.cfg.Careful || h.lease == nil {
		return nil
	}
	if h.lost != nil {
		select {
		case <-h.lost:
			return workloads.ErrGone
		default:
		}
	}
	if c.run.cfg.Traits.Bounded {
		return c.ask(ctx, h, false)
	}
	return nil
}
