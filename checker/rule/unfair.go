package rule

import (
	"fmt"
	"time"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// givenUp is how long before its recorded end a wait that was not granted may have left
// the queue: the cancellation had to be sent and answered.
const givenUp = int64(time.Second)

// A passedOver says which grants overtook a waiter.
type passedOver struct {
	first  *timeline.Lease // the first of these grants; nil: none
	n      int
	excuse bool // its request may have come late, so nothing is claimed
}

// unfair judges locks that declare to grant in the order of a queue. It finds clients that
// were surely in the queue first, but were granted the lock after a client that called later.
//
// Guarantee: grants are in the order in which the calls reached the service. A call is surely first
// only if it was made earlier by Allowance and its client was connected all the time.
type unfair struct {
	base
	// first is the time of the first call of a client since it was granted the lock last: a
	// request that was given up may have left its place in the queue to the next.
	first map[int]int64
	// passed says for each wait under way which grants overtook it.
	passed map[*timeline.Call]*passedOver
}

func newUnfair(b base) *unfair {
	return &unfair{b, map[int]int64{}, map[*timeline.Call]*passedOver{}}
}

// Called notes since when a client has called for the lock.
func (r *unfair) Called(_ *timeline.Lock, w *timeline.Call) {
	if _, waits := r.first[w.Client]; !waits {
		r.first[w.Client] = w.Called
	}
}

// Granted notes the waiters that a grant passes over although they were surely in the queue before
// its client called. A try stands in no queue, and a waiter that can hold the lock at the same time
// is not passed over.
func (r *unfair) Granted(l *timeline.Lock, w *timeline.Call) {
	since, waits := r.first[w.Client]
	if delete(r.first, w.Client); !waits {
		since = w.Called
	}
	if !r.run.Options.Fair || w.Inv.F != history.Acquire {
		return
	}
	for _, p := range l.Pending { // by call
		if p.Called+r.run.Allowance() >= since {
			return
		}
		if p.Inv.F == history.Acquire && p.Within == nil && p.Client != w.Client && !r.excused(p) && !p.Together(w.Lease) {
			r.passOver(p, w.Lease, since)
		}
	}
}

// of returns which grants have overtaken a wait so far.
func (r *unfair) of(w *timeline.Call) *passedOver {
	p := r.passed[w]
	if p == nil {
		p = &passedOver{}
		r.passed[w] = p
	}
	return p
}

// excused reports whether the request of a wait may have come late.
func (r *unfair) excused(w *timeline.Call) bool { p := r.passed[w]; return p != nil && p.excuse }

// passOver notes that a grant overtook a wait. since is the first call of the grant's client
// after its last grant.
func (r *unfair) passOver(p *timeline.Call, by *timeline.Lease, since int64) {
	at, over := by.Granted(), r.of(p)
	if over.first == nil && since-p.Called <= timeline.Hops*r.run.Pace(p.Called, since) {
		return
	}
	// Where leases end by themselves, a place in the queue is a lease, too, and may have
	// expired.
	if r.run.Options.Expires && at-p.Called > int64(r.run.Options.TTL) {
		return
	}
	if over.first == nil {
		since := r.sound.SoundSince(p.Client, p.Process)
		if since > p.Called || r.run.Upset(p.Client, since, at) {
			over.excuse = true
			return
		}
		over.first = by
	}
	over.n++
}

// check does nothing: a wait is judged when it ends, and needs no piece.
func (r *unfair) check(*timeline.Piece) {}

// Ended judges a wait that has ended.
func (r *unfair) Ended(l *timeline.Lock, w *timeline.Call) {
	passed := r.passed[w]
	delete(r.passed, w)
	if passed == nil || passed.first == nil {
		return
	}
	g := passed.first
	if w.Lease == nil && w.End-g.Granted() < givenUp {
		return
	}
	kind := "unfair"
	if w.Writes() && g.Shared {
		kind = "starved-writer"
	}
	r.found.Add(kind, w.Called, func() incident.Anomaly {
		how := "but its call ended without a grant at " + timeline.At(w.End)
		if w.Lease != nil {
			how = "but was granted it only at " + timeline.At(w.End)
		}
		return incident.Anomaly{
			Lock: l.Name, Time: w.End, Ops: incident.Ops(w.Inv, g.Inv, g.Ret, w.Ret),
			Sentence: fmt.Sprintf("%[1]s asked for the lock at %[5]s and was granted %[2]s at %[3]s (%[4]s). %[6]s had asked for it at %[7]s, %[8]s earlier, %[9]s. In all, %[10]d later calls were served ahead of the call of %[6]s, although the lock declares that it grants in order",
				timeline.Who(g.Client), g.What(), timeline.At(g.Granted()), g.Name(), timeline.At(g.Inv.Time), timeline.Who(w.Client), timeline.At(w.Called), timeline.Dur(g.Inv.Time-w.Called), how, passed.n),
		}
	})
}
