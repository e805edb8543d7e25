package checker

import "locktorture/history"

// Check judges a valid history, as Judge does.
func Check(h history.History, o Options, inv Invariant) Result {
	r, _ := Judge(h, o, inv) // nothing is read, so nothing can fail
	return r
}

// Judge judges a valid history. inv is the invariant of the workload, nil if
// it has none. It takes O(n log n) time, the searches for linearizability apart,
// which Options bound, and reads the history two or three times; it does not
// hold it. An error is one of reading.
func Judge(src history.Source, o Options, inv Invariant) (Result, error) {
	return judge(src, o, inv, settled)
}

// judge reads the history twice. The first reading is needed because the checks of a moment
// depend on what comes later: which calls are never answered, when a process died, until when
// a fault was in place. The second puts each lock together again and checks it piece by piece.
func judge(src history.Source, o Options, inv Invariant, every int) (Result, error) {
	src, o = boundedSource{src}, o.bounded() // bounds.go
	s, err := surveyOf(src, o)               // survey.go
	if err != nil {
		return Result{}, err
	}
	v, err := viewOf(src, s, every, inv) // view.go, which calls settle.go, which calls checks
	if err != nil {
		return Result{}, err
	}
	return v.result(inv), nil
}

// checks are what is checked of a piece of a lock's history, in this order: before is the
// moment up to which every call is known, waits are those of the piece, last tells the last
// piece. Each check stands in the file that is named after it.
func (v *view) checks(l *lockView, waits []*wait, before int64, last bool) {
	p := &piece{lockView: l, calls: waits, before: before, last: last, tenures: l.sights.settled(before, last), looks: v.newLooks(l, before), listings: l.newListings(before)}
	for _, r := range l.rules {
		r.check(p)
	}
	if v.o.Kind == barrierKind {
		v.barriers(l)
		v.linearizeLock(l, waits)
		v.measure(l)
		v.metAt(l, waits)
		return
	}
	v.elections(l, waits)
	// Linearizability, and then what is measured and not judged.
	v.linearizeLock(l, waits)
	v.measure(l)
}
