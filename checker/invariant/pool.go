package invariant

import (
	"fmt"

	"locktorture/checker"
	"locktorture/history"
)

// Pool judges the workload "pool": whoever returns a connection took it last, and no more
// connections are out at one moment than the pool has permits. A connection that is never
// returned is not counted. The loss counts connections that were returned when another client
// had them.
type Pool struct{}

var _ checker.Invariant = Pool{}

type pools struct {
	taken    map[string]*history.Op // by connection: the last time
	out      throng                 // connections, of all pools
	shared   int
	returned int
	atWorks
}

// Begin implements checker.Invariant.
func (Pool) Begin() checker.Replay {
	return &pools{taken: map[string]*history.Op{}, atWorks: atWorks{capacity: map[string]int{}}}
}

// Apply implements checker.Replay. A process has one section at a time, under a lease of the
// pool and one of the connection.
func (r *pools) Apply(op *history.Op) []checker.Anomaly {
	same := func(w *atWork) bool { return w.begin.Process == op.Process }
	key := workKey(op)
	switch {
	case op.F == history.Read:
	case key == "capacity":
		n, err := checker.Number(op.Value)
		if err != nil {
			return []checker.Anomaly{torn(op)}
		}
		r.capacity[op.Lock] = n
	case key == "taken":
		r.taken[op.Lock] = op
		r.out.drop(same) // the process never returned what it took before
		r.out.begin(op, 1)
	case key == "returned":
		return r.back(op)
	case key == "done":
		return r.done(&r.out, op, same)
	}
	return nil
}

// back looks at a connection that is returned.
func (r *pools) back(op *history.Op) []checker.Anomaly {
	r.returned++
	last := r.taken[op.Lock]
	if last == nil || last.Lease == op.Lease {
		return nil
	}
	r.shared++
	return []checker.Anomaly{{
		Kind: "shared-connection", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(last, op),
		Sentence: fmt.Sprintf("%s had connection %s until %s (apply %d), but %s had taken the same connection at %s (apply %d)",
			checker.By(op), op.Lock, checker.At(op.Time), op.Apply, checker.By(last), checker.At(last.Time), last.Apply),
	}}
}

// Loss implements checker.Replay.
func (r *pools) Loss() checker.Loss {
	loss := checker.Loss{Lost: r.shared, Of: r.returned, Unit: "connections"}
	if r.over > 0 {
		loss.Note = fmt.Sprintf("sections beyond the permitted number: %d", r.over)
	}
	return loss
}

// Forget implements checker.Forgetful: a connection that was not returned under a lease that
// is over never will be.
func (r *pools) Forget(lease int64) {
	r.out.drop(func(w *atWork) bool { return w.begin.Lease == lease })
}
