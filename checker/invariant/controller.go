package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// Controller judges the workload "controller": a leader that takes over increases the
// generation by one, and changes are made only in the name of the current generation, by the
// leader that began it. The loss counts changes by leaders that had been succeeded.
type Controller struct{}

var _ checker.Invariant = Controller{}

type controllers struct {
	now  map[string]*generation // by lock
	loss checker.Loss
	told map[int64]bool // leases that were reported as stale
}

// A generation is the current generation of a lock.
type generation struct {
	n     int
	began *history.Op
}

// Begin implements checker.Invariant.
func (Controller) Begin() checker.Replay {
	return &controllers{now: map[string]*generation{}, told: map[int64]bool{}, loss: checker.Loss{Unit: "changes"}}
}

// Apply implements checker.Replay.
func (r *controllers) Apply(op *history.Op) []checker.Anomaly {
	if op.F == history.Read {
		return nil
	}
	switch workKey(op) {
	case "generation":
		return r.takeover(op)
	case "applied":
		return r.change(op)
	}
	return nil
}

func (r *controllers) takeover(op *history.Op) []checker.Anomaly {
	n, err := checker.Number(op.Value)
	if err != nil {
		return []checker.Anomaly{torn(op)}
	}
	was := r.now[op.Lock]
	r.now[op.Lock] = &generation{n, op}
	if was == nil || n == was.n+1 {
		return nil
	}
	return []checker.Anomaly{{
		Kind: "lost-update", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(was.began, op),
		Sentence: fmt.Sprintf("%s began generation %d at %s (apply %d) after generation %d, which %s had begun at %s (apply %d)",
			checker.By(op), n, checker.At(op.Time), op.Apply, was.n, checker.By(was.began), checker.At(was.began.Time), was.began.Apply),
	}}
}

func (r *controllers) change(op *history.Op) []checker.Anomaly {
	of, _, _ := strings.Cut(op.Value, " ")
	n, err := checker.Number(of)
	if err != nil {
		return []checker.Anomaly{torn(op)}
	}
	r.loss.Of++
	now := r.now[op.Lock]
	if now == nil || now.n == n && now.began.Lease == op.Lease {
		return nil
	}
	r.loss.Lost++
	if r.told[op.Lease] {
		return nil
	}
	r.told[op.Lease] = true
	return []checker.Anomaly{{
		Kind: "stale-change", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(now.began, op),
		Sentence: fmt.Sprintf("%s made a change of generation %d at %s (apply %d) although %s had begun generation %d at %s (apply %d)",
			checker.By(op), n, checker.At(op.Time), op.Apply, checker.By(now.began), now.n, checker.At(now.began.Time), now.began.Apply),
	}}
}

// Loss implements checker.Replay.
func (r *controllers) Loss() checker.Loss { return r.loss }

// Forget implements checker.Forgetful.
func (r *controllers) Forget(lease int64) { delete(r.told, lease) }
