package rule

import (
	"cmp"
	"fmt"
	"time"

	"locktorture/checker/incident"
	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/timeline"
)

// A linearState holds what is known about the operations on one lock. They are judged piece by
// piece. Where a piece ends, nobody holds the lock, and each of the acquires under way can be
// taken to happen later.
type linearState struct {
	judged  bool
	invalid bool
	unknown string        // why some piece could not be judged
	spent   time.Duration // time that searches took
}

// left returns how much of the time limit for a lock the earlier pieces have left over. 0
// stands for the default of package linear.
func (st *linearState) left(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return max(limit-st.spent, time.Millisecond)
}

// nonlinearizable judges the operations on a lock by the model that its backend declares.
//
// Guarantee: the model. All other rules judge single promises; this one asks whether any order of
// the operations, each between its call and its answer, satisfies it.
//
// The first violation is final, because linearizability is closed under prefixes. Pieces after
// it are not judged. The bounds on time and memory make a property unknown, never violated.
type nonlinearizable struct {
	base
	linearState
}

func (r *nonlinearizable) check(p *timeline.Piece) {
	l, waits, st := p.Lock, p.Calls, &r.linearState
	if r.run.Options.Model == "" || st.invalid {
		return
	}
	model := r.run.Options.Model
	if timeline.Reentered(waits) {
		model = reentrant(model)
	}
	list, source := r.lockOperations(l, waits, knowsReentry(model))
	if len(list) == 0 {
		return
	}
	st.judged = true
	o := linear.Options{Timeout: st.left(r.run.Options.Timeout), Memory: r.run.Options.Memory, TTL: r.run.Options.TTL, Capacity: l.Capacity, Parties: l.Parties}
	verdict := linear.Check(list, model, o)
	switch verdict.Outcome {
	case linear.Invalid:
		st.invalid = true
		verdict.Explanation = ofHistory(verdict.Explanation, list, source)
		addNonlinearizable(r.found, l.Name, "", "", "the model "+model, verdict, source)
	case linear.Unknown:
		st.spent += verdict.Elapsed
		st.unknown = cmp.Or(st.unknown, fmt.Sprintf("%s by the model %s: %s", l.Name, model, verdict.Reason))
	}
}

func addNonlinearizable(f *incident.Findings, lock, store, key, by string, verdict linear.Verdict, from []Source) {
	a, first := Nonlinearizable(f.Book.Run.End, lock, store, key, by, verdict, from)
	f.Add("nonlinearizable", first, func() incident.Anomaly { return a })
}

// Nonlinearizable returns the anomaly of a verdict on a history that ends at a moment, and when its
// proof begins. by names the model, and from says where the operations of the verdict stand in
// the history.
func Nonlinearizable(end int64, lock, store, key, by string, verdict linear.Verdict, from []Source) (incident.Anomaly, int64) {
	var w []*history.Op
	for _, i := range verdict.Witness {
		if i >= 0 && i < len(from) {
			w = append(w, from[i].Inv, from[i].Ret)
		}
	}
	proof := incident.Ops(w...)
	first, last := int64(0), end
	if len(proof) > 0 {
		first, last = proof[0].Time, proof[len(proof)-1].Time
	}
	what := lock
	if key != "" {
		what = key + " of the " + store + " store"
	}
	return incident.Anomaly{
		Lock: lock, Store: store, Key: key, Time: last, Ops: proof,
		Sentence: fmt.Sprintf("the operations on %s up to %s fit no order that %s allows: %s", what, timeline.At(last), by, Explained(verdict.Explanation, clientsOf(from))),
	}, first
}

// ofHistory names the processes in an explanation as the history does. The model has processes
// of its own for parties of a latch or a barrier, and for candidates that gave up.
func ofHistory(s string, list []linear.Operation, from []Source) string {
	known := map[int]int{} // the model's number → the number in the history, by the first operation
	for i, op := range list {
		if _, ok := known[op.Process]; !ok {
			known[op.Process] = from[i].Inv.Process
		}
	}
	return renamed(s, func(n int) string {
		if p, ok := known[n]; ok {
			return fmt.Sprintf("process %d", p)
		}
		return ""
	})
}
