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

// A holderStore is the protected store as one section uses it. It records every operation. A
// careful client checks the lease before each operation, and the client's gate stands between the
// check and the operation.
type holderStore struct {
	client *client
	leases []*held
	hold   time.Duration // the part of the section's work that is still to do
	fenced bool
	done   int  // number of operations so far
	wrote  bool // one of them was a write
}

var _ workloads.Store = (*holderStore)(nil)

// Read reads a key of the store and records the read.
func (s *holderStore) Read(ctx context.Context, key string) (string, error) {
	return s.do(ctx, history.Op{F: history.Read, Key: key})
}

// Write writes a key of the store and records the write.
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
		if c.life.dead() {
			return "", errDead
		}
		return "", workloads.ErrGone
	}
	if ctx.Err() != nil {
		return "", workloads.ErrGone
	}
	if err := h.askForRecord(ctx); err != nil {
		return "", err
	}
	return h.access(ctx, op.F, workloads.Access{
		Lock: h.lock, Token: h.token, Fenced: s.fenced, Write: write, Key: op.Key, Value: op.Value,
	})
}

// work spends the section's time between its first operation and its effect: all before the second
// operation, or half of it before the first write if the section reads more in between.
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

// access carries out an operation on the store and records it.
func (h *held) access(ctx context.Context, f history.F, a workloads.Access) (string, error) {
	op, err := h.client.life.invoke(h.accessOp(f, a))
	if err != nil {
		return "", err
	}
	return h.client.carry(ctx, op, a)
}

// accessOp returns the entry that invokes an operation on the store.
func (h *held) accessOp(f history.F, a workloads.Access) history.Op {
	op := history.Op{F: f, Lock: h.lock, Lease: h.number, Token: a.Token, Store: history.Plain, Key: a.Key, Value: a.Value, Guard: a.Guard, Expect: a.Want}
	if a.Fenced {
		op.Store = history.Fenced
	}
	return op
}

// carry sends an invoked operation to the store and records its completion.
func (c *client) carry(ctx context.Context, op history.Op, a workloads.Access) (string, error) {
	// An operation that has begun is completed even if the run ends meanwhile.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	value, apply, err := c.run.cfg.Resource.Do(limit, a)
	switch {
	case errors.Is(err, workloads.ErrStale):
		op.Refused = history.ByStore
		c.life.complete(op, history.Fail, err)
		c.run.tally.refused.Add(1)
	case errors.Is(err, workloads.ErrConflict):
		op.Refused = history.ByStore
		c.life.complete(op, history.Fail, err)
	case err != nil:
		c.life.complete(op, history.Info, err)
		return "", errUnknown
	default:
		op.Apply = apply
		if !a.Write {
			op.Value = value
		}
		c.life.complete(op, history.OK, nil)
	}
	return value, err
}

// storeLimit bounds the wait for the answer of the store.
const storeLimit = 5 * time.Second

// leaseOf returns the lease of the lock that guards a key, or the first lease if no held lock
// guards it.
func (s *holderStore) leaseOf(key string) *held {
	for _, h := range s.leases {
		if _, ok := wire.KeyOf(h.lock, key); ok {
			return h
		}
	}
	return s.leases[0]
}

// overSoon is the remaining validity below which a lease is asked again. It exceeds the time
// between the question and the record of the operation.
const overSoon = 10 * time.Millisecond

// askForRecord asks a lease again if its last reported validity is over or ends within overSoon. A
// watchdog keeps renewing while an operation is held back, and only the lock knows the result. The
// answer is only recorded: the operation goes on even if the lease is over.
func (h *held) askForRecord(ctx context.Context) error {
	c := h.client
	if !c.run.cfg.Traits.Bounded || h.untilMin == 0 || c.run.cfg.Now()+int64(overSoon) < h.untilMin {
		return nil
	}
	if err := h.ask(ctx, true); !errors.Is(err, workloads.ErrGone) {
		return err
	}
	return nil
}

// check asks a careful client's lease before an operation. It returns ErrGone if the lease is over.
func (s *holderStore) check(ctx context.Context, h *held) error {
	c := s.client
	if c.life.dead() {
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
		return h.ask(ctx, false)
	}
	return nil
}
