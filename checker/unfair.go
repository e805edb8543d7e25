package checker

import (
	"fmt"
	"time"

	"locktorture/history"
)

// givenUp is how long before its recorded end a wait that was not granted may have left
// the queue: the cancellation had to be sent and answered.
const givenUp = int64(time.Second)

// A passedOver says by whom a waiter was overtaken.
type passedOver struct {
	first  *lease // nil: by nobody
	n      int
	excuse bool // its request may have come late: nothing can be said of it
}

// unfair finds, of a lock that declares to grant in the order of a queue, clients that were
// surely in the queue first and were granted the lock after one that called later.
type unfair struct {
	base
	sound connections
	// first is the time of the first call of a client since it was granted the lock last: a
	// request that was given up may have left its place in the queue to the next.
	first map[int]int64
	// passed says of the waits under way by whom they were overtaken.
	passed map[*wait]*passedOver
}

func newUnfair(b base, sound connections) *unfair {
	return &unfair{b, sound, map[int]int64{}, map[*wait]*passedOver{}}
}

func (r *unfair) called(_ *lockView, w *wait) {
	if _, waits := r.first[w.client]; !waits {
		r.first[w.client] = w.call
	}
}

// granted notes the waiters that a grant passes over although they were surely in the queue
// before its client called. A try stands in no queue, and who can hold the lock at the same
// time is not passed over.
func (r *unfair) granted(l *lockView, w *wait) {
	since, waits := r.first[w.client]
	if delete(r.first, w.client); !waits {
		since = w.call
	}
	if !r.run.o.Fair || w.inv.F != history.Acquire {
		return
	}
	for _, p := range l.pending { // by call
		if p.call+r.run.allowance() >= since {
			return
		}
		if p.inv.F == history.Acquire && p.within == nil && p.client != w.client && !r.excused(p) && !p.together(w.lease) {
			r.passOver(p, w.lease, since)
		}
	}
}

// of says by whom a wait was overtaken so far.
func (r *unfair) of(w *wait) *passedOver {
	p := r.passed[w]
	if p == nil {
		p = &passedOver{}
		r.passed[w] = p
	}
	return p
}

func (r *unfair) excused(w *wait) bool { p := r.passed[w]; return p != nil && p.excuse }

func (r *unfair) passOver(p *wait, by *lease, since int64) {
	at, over := by.granted(), r.of(p)
	if over.first == nil && since-p.call <= hops*r.run.pace(p.call, since) {
		return
	}
	// A place in the queue is a lease, too, where leases end by themselves.
	if r.run.o.Expires && at-p.call > int64(r.run.o.TTL) {
		return
	}
	if over.first == nil {
		since := r.sound.soundSince(p.client, p.process)
		if since > p.call || r.run.upset(p.client, since, at) {
			over.excuse = true
			return
		}
		over.first = by
	}
	over.n++
}

// ended judges a wait that has ended.
func (r *unfair) ended(l *lockView, w *wait) {
	passed := r.passed[w]
	delete(r.passed, w)
	if passed == nil || passed.first == nil {
		return
	}
	g := passed.first
	if w.lease == nil && w.end-g.granted() < givenUp {
		return
	}
	kind := "unfair"
	if w.writes() && g.shared {
		kind = "starved-writer"
	}
	r.found.add(kind, w.call, func() Anomaly {
		how := "which had not been granted when it ended at " + at(w.end)
		if w.lease != nil {
			how = "which was granted only at " + at(w.end)
		}
		return Anomaly{
			Lock: l.name, Time: w.end, Ops: ops(w.inv, g.inv, g.ret, w.ret),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s), for which it had called at %s, before the call of %s of %s, %s earlier, %s; in all %d later calls were served before it, and the lock declares that it grants in order",
				who(g.client), g.what(), at(g.granted()), g.name(), at(g.inv.Time), who(w.client), at(w.call), dur(g.inv.Time-w.call), how, passed.n),
		}
	})
}
