package checker

import (
	"locktorture/checker/rule"
	"locktorture/history"
	"locktorture/timeline"
)

// Check judges a valid history, as Judge does.
func Check(h history.History, o timeline.Options, inv Invariant) Result {
	r, _ := Judge(h, o, inv) // the history is in memory, so reading it cannot fail
	return r
}

// Judge judges a valid history. inv is the invariant of the workload; nil if it has none.
// Judge takes O(n log n) time, apart from the searches for linearizability, which Options
// bound. It reads the history two or three times and does not hold it in memory. It fails only
// if src cannot be read.
func Judge(src history.Source, o timeline.Options, inv Invariant) (Result, error) {
	if o.IsApp() {
		return judgeApp(src, o)
	}
	return judgeEvery(src, o, inv, timeline.PieceSize)
}

// judgeEvery reads the history twice. The first reading is needed because the checks of a moment
// depend on what comes later: which calls are never answered, when a process died, until when
// a fault was in place. The second puts each lock together again and checks it piece by piece.
func judgeEvery(src history.Source, o timeline.Options, inv Invariant, every int) (Result, error) {
	src, o = timeline.Bounded(src, o)
	s, err := timeline.Survey(src, o)
	if err != nil {
		return Result{}, err
	}
	sound := timeline.Connections{}
	v := newVerdict(s, sound, inv)
	if err := timeline.Read(src, s, sound, every, timeline.Followers{Locks: v.locks, Latches: v.latches, Stores: v.stores}); err != nil {
		return Result{}, err
	}
	return v.result(), nil
}

// A verdict holds the judges of a run, and sums up what they have found.
type verdict struct {
	run     *timeline.Run
	on      *rule.Case
	locks   *rule.Locks
	latches *rule.Latches
	stores  *objects
}

func newVerdict(run *timeline.Run, sound timeline.Connections, inv Invariant) *verdict {
	c := rule.NewCase(run, sound)
	return &verdict{run: run, on: c, locks: rule.NewLocks(c), latches: rule.NewLatches(c), stores: newObjects(c.Book, inv)}
}
