package checker

import (
	"fmt"
	"time"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// A watchedLease is a grant of a whole lock that was not given back yet.
type watchedLease struct {
	grant  *history.Op
	answer *history.Op // the last that told a validity
	fresh  bool        // no answer came yet
	over   bool        // its holder knows
}

// A meeting is a grant while another was promised, until it is certain that the other's holder
// lived.
type meeting struct {
	a, b   *watchedLease
	before history.Op // what a's holder had been told then
}

// watchedLocks are the locks of a run.
type watchedLocks struct {
	o      timeline.Options
	leases map[int64]*watchedLease
	last   map[string]*watchedLease // by lock: of those that were granted, the one promised longest
	calls  map[int]*history.Op      // by process: the acquire under way
	met    []meeting
}

// killTold is how long it takes at most until a killed client is recorded as such.
const killTold = int64(250 * time.Millisecond)

func (s *watchedLocks) feed(op *history.Op) []incident.Anomaly {
	if s.o.Kind != "" || s.o.Watched && !s.o.Bounded {
		return nil // what such a lock promises cannot be judged from two grants alone
	}
	var found []incident.Anomaly
	g := s.leases[op.Lease]
	switch {
	case (op.F == history.Acquire || op.F == history.Try) && op.Type == history.OK && op.Mode == "":
		s.granted(op)
	case op.F == history.Crash:
		s.died(op)
	case g == nil || op.Client != g.grant.Client: // a client gives back under its next process what it had before an unknown outcome
	case op.F == history.Ask && op.Type == history.OK:
		g.answer, g.fresh = op, false
		s.longest(g)
	case op.F == history.Renew && op.Type == history.OK:
		g.answer = nil // what it was told before counts no longer
	case op.F == history.Ask && op.Type == history.Fail, op.F == history.Lost:
		g.over = true
	case op.F == history.Release && op.Type == history.Invoke:
		g.over = true
		delete(s.leases, op.Lease)
	case op.Type == history.Invoke && (op.F == history.Read || op.F == history.Write || op.F == history.CAS):
		found = append(found, s.overrun(g, op)...)
	}
	return append(found, s.certain(op)...)
}

// until is when the promise of a lease ends.
func (s *watchedLocks) until(g *watchedLease) int64 {
	switch {
	case g.over:
		return timeline.NoPromise
	case !s.o.Bounded:
		return history.Never
	case g.answer == nil:
		return timeline.NoPromise
	}
	return g.answer.UntilMin
}

func (s *watchedLocks) granted(op *history.Op) {
	b := &watchedLease{grant: op, fresh: true}
	if a := s.last[op.Lock]; a != nil && a.grant.Client != op.Client && op.Time < s.until(a) {
		m := meeting{a: a, b: b}
		if a.answer != nil {
			m.before = *a.answer
		}
		s.met = append(s.met, m)
	}
	s.leases[op.Lease] = b
	s.longest(b)
}

// longest keeps the lease of a lock that is promised longest.
func (s *watchedLocks) longest(g *watchedLease) {
	if a := s.last[g.grant.Lock]; a == nil || s.until(g) >= s.until(a) {
		s.last[g.grant.Lock] = g
	}
}

// died drops what a killed client held, and what may have been granted after its death.
func (s *watchedLocks) died(op *history.Op) {
	killed, known := op.Began()
	var met []meeting
	for _, m := range s.met {
		if m.a.grant.Client != op.Client || known && m.b.grant.Time < killed {
			met = append(met, m)
		}
	}
	s.met = met
	for n, g := range s.leases {
		if g.grant.Client == op.Client {
			g.over = true
			delete(s.leases, n)
		}
	}
}

// certain tells of the meetings that are: the newer lease promises something, and the other's
// holder was alive.
func (s *watchedLocks) certain(op *history.Op) []incident.Anomaly {
	var found []incident.Anomaly
	var open []meeting
	for _, m := range s.met {
		lives := op.Client == m.a.grant.Client && op.F != history.Lost || op.Time > m.b.grant.Time+killTold
		switch {
		case s.o.Bounded && m.b.over && m.b.fresh: // it was over when it was first asked
		case op.F == history.Lost && op.Client == m.a.grant.Client && timeline.ToldAt(op) <= m.b.grant.Time:
		case lives && !(s.o.Bounded && m.b.fresh):
			found = append(found, s.doubleGrant(m))
		default:
			open = append(open, m)
		}
	}
	s.met = open
	return found
}

func (s *watchedLocks) doubleGrant(m meeting) incident.Anomaly {
	a, b := m.a.grant, m.b.grant
	promise := "had not been given back"
	if s.o.Bounded {
		promise = "was declared valid until at least " + timeline.At(m.before.UntilMin)
	}
	return incident.Anomaly{
		Kind: "double-grant", Lock: b.Lock, Time: b.Time, Ops: incident.Ops(a, b),
		Sentence: fmt.Sprintf("%s was granted %s at %s although %s's lease %d, granted at %s, %s", timeline.Who(b.Client), b.Lock, timeline.At(b.Time), timeline.Who(a.Client), a.Lease, timeline.At(a.Time), promise),
	}
}

// overrun tells of a store operation that its holder sends after the validity that it was told
// last.
func (s *watchedLocks) overrun(g *watchedLease, op *history.Op) []incident.Anomaly {
	if !s.o.Bounded || g.answer == nil || op.Time <= g.answer.UntilMax {
		return nil
	}
	deed := (&timeline.Access{Inv: op}).Deed()
	return []incident.Anomaly{{
		Kind: incident.Overrun, Lock: op.Lock, Store: op.Store, Key: op.Key, Time: op.Time, Ops: incident.Ops(g.grant, g.answer, op),
		Sentence: fmt.Sprintf("%s, under lease %d of %s, %s at %s, %s after its lease had expired (%s)",
			timeline.Who(op.Client), op.Lease, op.Lock, deed, timeline.At(op.Time), timeline.Dur(op.Time-g.answer.UntilMax), timeline.At(g.answer.UntilMax)),
	}}
}
