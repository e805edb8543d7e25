package timeline

import (
	"time"

	"locktorture/history"
)

const (
	// enoughTold is the number of grants that it takes to show how soon a lock tells a waiter
	// of its grant.
	enoughTold = 20
	// shortest is the least time, in ns, that a wait must last to count, whatever the run
	// shows. Any service is slower than usual now and then.
	shortest = int64(100 * time.Millisecond)
)

// leaves notes the call of a release: the next grant cannot be made before it.
func (s *surveyor) leaves(op *history.Op) {
	if op.F == history.Release {
		s.freed[op.Lock] = op.Time
	}
}

// tells notes how long the lock took to tell a waiter of its grant after a release. A grant
// after an expiry is not counted, because nobody can say when the lease expired. Where holders
// may re-enter, nothing is counted, because a holder's own grants show nothing.
func (s *surveyor) tells(b begun, op *history.Op) {
	freed, ok := s.freed[b.op.Lock]
	if ok && op.F == history.Acquire && !s.Options.Reentrant {
		s.told.Add(op.Time - max(b.op.Time, freed))
	}
	delete(s.freed, b.op.Lock)
}

// usuallyTold returns how many ns a lock takes to answer a grant or a release in all but the
// slowest hundredth of cases. It returns -1 if the run has too few grants to tell.
func (s *surveyor) usuallyTold() int64 {
	n := s.told.N()
	if n < enoughTold {
		return -1
	}
	return max(s.told.Rank(n*99/100), s.UsualTrip)
}

// prompt reports whether a call waited for long, measured by the pace at which the lock was
// seen to answer. Its client must have been connected, and not struck by a fault since. The
// limit allows for one process on the way that was kept waiting as long as the harness at
// most. That is enough, because evidence takes many such calls, all of them in vain.
func (s *Run) prompt(w *Call) bool {
	if w.Inv.F != history.Acquire || w.served > w.Called || s.tellsIn < 0 || s.Upset(w.Client, w.served, w.End) {
		return false
	}
	lasted := w.End - w.Called - s.Stalled(w.Called, w.End) - int64(s.Options.Retry)
	return lasted > max(shortest, Hops*s.tellsIn, s.tellsIn+s.Pace(w.Called, w.End))
}

// Patient reports whether a call waited for so long that it would have been granted a free lock.
func (s *Run) Patient(w *Call) bool {
	return w.Asked() && (w.End-w.Called > s.Options.ToldBy() || s.prompt(w))
}

const (
	// queuedWithin is how long a request may take to its place in the queue of the service,
	// whatever the machine does. The harness, the client's process, a proxy and a server must
	// each be scheduled for it. It is the same slack as for a deadlock.
	queuedWithin = freeSlack
	// Hops is the number of programs that a request passes. Each of them has to be scheduled.
	Hops = 4
)

// Allowance returns by how many ns a request must have been made before another to be surely ahead
// of it in the queue.
func (s *Run) Allowance() int64 { return max(int64(queuedWithin), Hops*s.UsualTrip) }
