package checker

import (
	"fmt"
	"time"

	"locktorture/history"
)

const (
	// queuedWithin is how long a request may take to its place in the queue of the service,
	// whatever the machine does: harness, the client's process, a proxy and a server have to
	// be scheduled for it. It is the slack of a deadlock.
	queuedWithin = freeSlack
	// hops is how many programs a request passes, each of which has to be let run.
	hops = 4
	// givenUp is how long before its recorded end a wait that was not granted may have left
	// the queue: the cancellation had to be sent and answered.
	givenUp = int64(time.Second)
)

// A passedOver says by whom a waiter was overtaken.
type passedOver struct {
	first  *lease // nil: by nobody
	n      int
	excuse bool // its request may have come late: nothing can be said of it
}

// allowance is how much earlier than another a request must have been made to be surely the
// first of them in the queue.
func (s *survey) allowance() int64 { return max(int64(queuedWithin), hops*s.usualTrip) }

// unfair finds, of a lock that declares to grant in the order of a queue, clients that were
// surely in the queue first and were granted the lock after one that called later.
type unfair struct {
	base
	sound connections
	// first is the time of the first call of a client since it was granted the lock last: a
	// request that was given up may have left its place in the queue to the next.
	first map[int]int64
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
		if p.inv.F == history.Acquire && p.within == nil && p.client != w.client && !p.passed.excuse && !p.together(w.lease) {
			r.passOver(p, w.lease, since)
		}
	}
}

func (r *unfair) passOver(p *wait, by *lease, since int64) {
	at := by.granted()
	if p.passed.first == nil && since-p.call <= hops*r.run.pace(p.call, since) {
		return
	}
	// A place in the queue is a lease, too, where leases end by themselves.
	if r.run.o.Expires && at-p.call > int64(r.run.o.TTL) {
		return
	}
	if p.passed.first == nil {
		since := r.sound.soundSince(p.client, p.process)
		if since > p.call || r.run.upset(p.client, since, at) {
			p.passed.excuse = true
			return
		}
		p.passed.first = by
	}
	p.passed.n++
}

// ended judges a wait that has ended.
func (r *unfair) ended(l *lockView, w *wait) {
	g := w.passed.first
	if g == nil || w.lease == nil && w.end-g.granted() < givenUp {
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
				who(g.client), g.what(), at(g.granted()), g.name(), at(g.inv.Time), who(w.client), at(w.call), dur(g.inv.Time-w.call), how, w.passed.n),
		}
	})
}
