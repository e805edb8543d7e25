package invariant

import (
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// Rate judges the workload "rate": the sections that were at work at one moment may have no
// more permits than the semaphore has. A section counts only once it has ended, so that one
// whose client died counts for nothing. The loss counts sections that exceeded the permits.
type Rate struct{}

var _ checker.Invariant = Rate{}

type rates struct {
	locks map[string]*throng
	atWorks
}

// Begin implements checker.Invariant.
func (Rate) Begin() checker.Replay {
	return &rates{map[string]*throng{}, atWorks{capacity: map[string]int{}}}
}

// Apply implements checker.Replay.
func (r *rates) Apply(op *history.Op) []checker.Anomaly {
	l := r.locks[op.Lock]
	if l == nil {
		l = &throng{}
		r.locks[op.Lock] = l
	}
	kind, _, _ := strings.Cut(workKey(op), "/")
	n, err := checker.Number(op.Value)
	switch {
	case op.F == history.Read:
		return nil
	case err != nil:
		return []checker.Anomaly{torn(op)}
	case kind == "capacity":
		r.capacity[op.Lock] = n
	case kind == "begun":
		l.begin(op, n)
	case kind == "done":
		return r.done(l, op, func(w *atWork) bool { return w.begin.Lease == op.Lease })
	}
	return nil
}

// Loss implements checker.Replay.
func (r *rates) Loss() checker.Loss {
	return checker.Loss{Lost: r.over, Of: r.of, Unit: "sections"}
}

// Forget implements checker.Forgetful: a section whose lease is over never ends.
func (r *rates) Forget(lease int64) {
	for _, l := range r.locks {
		l.drop(func(w *atWork) bool { return w.begin.Lease == lease })
	}
}
