package harness_test

import (
	"context"
	"sync"
	"testing"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/workloads"
)

// A hasty lock is reentrant but for this: the first release of any entry gives everything
// back.
type hasty struct {
	locks.Locker
	mu   sync.Mutex
	held locks.Lease
}

// hastyEntry is an entry of a hasty lock, which has one name in use.
type hastyEntry struct {
	locks.Lease
	lock *hasty
}

func (h *hasty) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held != nil {
		return &hastyEntry{h.held, h}, nil
	}
	l, err := h.Locker.Acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	h.held = l
	return &hastyEntry{l, h}, nil
}

func (e *hastyEntry) Release(ctx context.Context) error {
	e.lock.mu.Lock()
	defer e.lock.mu.Unlock()
	if e.lock.held != e.Lease {
		return nil // it was given back with the first
	}
	e.lock.held = nil
	return e.Lease.Release(ctx)
}

func (e *hastyEntry) Token() uint64 { return e.Lease.(locks.Fenced).Token() }

// TestReentry runs sections that take their lock again: on a lock that counts its entries
// nothing is found, on one that does not, others get in while a holder is still inside.
func TestReentry(t *testing.T) {
	lock := local(t)
	good := trial{
		traits: control.LocalTraits(), open: isolated(lock), fencing: harness.FencingBoth,
		work: workloads.Reentry{}, enough: granted(100),
	}
	h := good.carryOut(t)
	if r := good.judge(t, h); r.Grade != checker.Safe || len(r.Counts.Anomalies) > 0 {
		t.Errorf("local is %s: %s", r.Grade, r.Sentence)
	}
	if inner := innerGrants(h); inner < 20 {
		t.Errorf("%d grants to a process that held the lock, want many", inner)
	}

	bad := good
	bad.fencing = harness.FencingOff
	bad.open = func(ctx context.Context, client, process int) (locks.Locker, error) {
		l, err := inProcess(lock)(ctx, client, process)
		return &hasty{Locker: l}, err
	}
	r := bad.judge(t, bad.carryOut(t))
	if r.Grade != checker.Unsafe || r.Counts.Anomalies["double-grant"] == 0 || r.Counts.Anomalies["lost-update"] == 0 {
		t.Errorf("a lock that an inner release frees is %s: %s", r.Grade, r.Sentence)
	}
	if n := r.Counts.Anomalies["token-changed"] + r.Counts.Anomalies["self-deadlock"]; n > 0 {
		t.Errorf("its tokens and entries are sound, and %d were blamed", n)
	}
}

// innerGrants counts the grants to processes that held the lock.
func innerGrants(h history.History) (n int) {
	depth := map[int]int{}
	for _, op := range h {
		switch {
		case op.Type != history.OK:
		case op.F == history.Acquire:
			if depth[op.Process]++; depth[op.Process] > 1 {
				n++
			}
		case op.F == history.Release:
			depth[op.Process]--
		}
	}
	return n
}
