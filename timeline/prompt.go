package timeline

import (
	"time"

	"locktorture/history"
)

const (
	// enoughTold is how many grants show how soon a lock tells its waiters that it is theirs.
	enoughTold = 20
	// shortest is what a wait must last at the least, whatever the run shows: any service is
	// slower than usual for a while.
	shortest = int64(100 * time.Millisecond)
)

// leaves notes from when on the next grant can have been told at the earliest: the call of a
// release.
func (s *surveyor) leaves(op *history.Op) {
	if op.F == history.Release {
		s.freed[op.Lock] = op.Time
	}
}

// tells notes how long the lock took to tell a grant to one that waited, after a release:
// nobody can tell when a lease expired. Where holders may enter again their grants would show
// nothing.
func (s *surveyor) tells(b begun, op *history.Op) {
	freed, ok := s.freed[b.op.Lock]
	if ok && op.F == history.Acquire && !s.Options.Reentrant {
		s.told.Add(op.Time - max(b.op.Time, freed))
	}
	delete(s.freed, b.op.Lock)
}

// usuallyTold is the longest usual time that a lock takes to answer in ns, of a grant or of a
// release; -1 if the run shows too little.
func (s *surveyor) usuallyTold() int64 {
	n := s.told.N()
	if n < enoughTold {
		return -1
	}
	return max(s.told.Rank(n*99/100), s.UsualTrip)
}

// prompt reports whether a wait was long enough for a lock that was seen to answer soon. Its
// client must have been connected, and not struck by a fault since. One process on the way may
// have been kept waiting as long as the harness at the most: evidence takes many such waits,
// all of them in vain.
func (s *Run) prompt(w *Call) bool {
	if w.Inv.F != history.Acquire || w.served > w.Called || s.tellsIn < 0 || s.Upset(w.Client, w.served, w.End) {
		return false
	}
	lasted := w.End - w.Called - s.Stalled(w.Called, w.End) - int64(s.Options.Retry)
	return lasted > max(shortest, Hops*s.tellsIn, s.tellsIn+s.Pace(w.Called, w.End))
}

// patient reports whether a wait lasted for so long that a free lock would have been had.
func (s *Run) Patient(w *Call) bool {
	return w.Asked() && (w.End-w.Called > s.Options.ToldBy() || s.prompt(w))
}

const (
	// queuedWithin is how long a request may take to its place in the queue of the service,
	// whatever the machine does: harness, the client's process, a proxy and a server have to
	// be scheduled for it. It is the slack of a deadlock.
	queuedWithin = freeSlack
	// hops is how many programs a request passes, each of which has to be let run.
	Hops = 4
)

// allowance is how much earlier than another a request must have been made to be surely the
// first of them in the queue.
func (s *Run) Allowance() int64 { return max(int64(queuedWithin), Hops*s.UsualTrip) }
