package checker

import (
	"locktorture/history"
	"locktorture/timeline"
)

// Check judges a valid history, as Judge does.
func Check(h history.History, o timeline.Options, inv Invariant) Result {
	r, _ := Judge(h, o, inv) // nothing is read, so nothing can fail
	return r
}

// Judge judges a valid history. inv is the invariant of the workload, nil if
// it has none. It takes O(n log n) time, the searches for linearizability apart,
// which Options bound, and reads the history two or three times; it does not
// hold it. An error is one of reading.
func Judge(src history.Source, o timeline.Options, inv Invariant) (Result, error) {
	return judgeEvery(src, o, inv, timeline.PieceSize)
}

// judgeEvery reads the history twice. The first reading is needed because the checks of a moment
// depend on what comes later: which calls are never answered, when a process died, until when
// a fault was in place. The second puts each lock together again and checks it piece by piece.
func judgeEvery(src history.Source, o timeline.Options, inv Invariant, every int) (Result, error) {
	src, o = timeline.Bounded(src, o)
	s, err := timeline.Survey(src, o) // survey.go
	if err != nil {
		return Result{}, err
	}
	sound := timeline.Connections{}
	j := newJudge(s, sound, inv)                                                                                                    // judge.go
	if err := timeline.Read(src, s, sound, every, timeline.Followers{Locks: j, Latches: j.latches, Stores: j.stores}); err != nil { // view.go, settle.go
		return Result{}, err
	}
	return j.result(inv), nil
}
