package rule

import (
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// holdMoves holds what the looks at a hold have shown since its holder became helpless: since
// the holder died or was stopped, so that it can do nothing for its hold.
type holdMoves struct {
	since     int64     // from when on the holder is helpless; 0: it is not
	early     *holdLook // the look with the earliest end, of the looks after which no other client has called yet
	earlyMet  *holdLook // the same, of the looks after which another client has called
	moved     *holdMove // the move to the earliest end, of the moves after which no other client has called yet
	movedMet  *holdMove // the same, of the moves after which another client has called
	lastOther *holdCall
}

// A holdMove is two looks between which the end of a hold moved on while another client called.
type holdMove struct {
	least, once *holdLook
	call        *holdCall
}

// extendedByOther finds a hold whose end moves on twice, each time while another client calls,
// although its holder is dead or stopped.
//
// Guarantee: only the holder prolongs its lease. A single move can be the holder's own
// renewal, which was under way and landed later. A second move cannot: where no messages are
// delayed, a client has only one renewal under way at a time.
//
// The sentence names a call of another client for each of the two moves. That this call prolonged the
// hold is likely and not proven.
type extendedByOther struct {
	base
	reported leaseSet
}

func (r *extendedByOther) look(s *heldLooks, h *holding, seen history.Hold, last, k *holdLook) {
	m, g := &h.moves, h.lease
	since := r.helpless(g, k)
	// A holder that can act may have renewed its lease, and a hold without an end has nothing to move.
	if since == 0 || seen.Until == history.Never || r.reported[g] {
		*m = holdMoves{}
		return
	}
	// A fault that takes or leaves locks can move an end by itself, so the count starts anew.
	if m.since != since || r.run.Disturbed(last.asked, k.probe.Time) {
		*m = holdMoves{since: since, early: k}
		return
	}
	if c := s.another(g, since); c != nil {
		m.met(c, seen.Owner)
	}
	switch {
	case m.movedMet != nil && r.holdMoved(m.movedMet.once, k, seen):
		r.reported[g] = true
		r.report(h, seen, k)
		return
	case m.earlyMet != nil && r.holdMoved(m.earlyMet, k, seen):
		if m.moved == nil || seen.Until < m.moved.once.by[seen.Owner].Until {
			m.moved = &holdMove{m.earlyMet, k, m.lastOther}
		}
	}
	m.early = earlier(m.early, k, seen.Owner)
}

// met notes that another client has called since all looks so far.
func (m *holdMoves) met(c *holdCall, owner string) {
	m.lastOther = c
	m.earlyMet, m.early = earlier(m.earlyMet, m.early, owner), nil
	if m.moved != nil {
		if m.movedMet == nil || m.moved.once.by[owner].Until < m.movedMet.once.by[owner].Until {
			m.movedMet = m.moved
		}
		m.moved = nil
	}
}

// earlier returns the look that shows the earlier end of a hold, the first if both show the same; a
// nil look shows none.
func earlier(a, b *holdLook, owner string) *holdLook {
	if a == nil || b != nil && b.by[owner].Until < a.by[owner].Until {
		return b
	}
	return a
}

// helpless returns since when the holder can do nothing for its hold, because it died or is
// stopped. It returns 0 unless that was so from before the look until after it. A stopped
// holder goes on a little before that is recorded. Nothing is claimed where messages are
// delayed: a client that gave up a renewal may have sent the next one, and several can land
// after the client's end.
func (r *extendedByOther) helpless(g *timeline.Lease, k *holdLook) int64 {
	if g.RelCall != nil && g.RelCall.Time <= k.probe.Time || r.slowed(g.Inv.Time, k.probe.Time) {
		return 0
	}
	if g.Died() && g.Crash.Time < k.asked {
		return g.Crash.Time
	}
	for _, s := range r.run.Faults {
		if s.Stops(g.Client) && s.From < k.asked && k.probe.Time < s.To-timeline.ProbeTakes {
			return s.From
		}
	}
	return 0
}

// slowed reports whether messages were delayed at some time between two moments.
func (r *extendedByOther) slowed(from, to int64) bool {
	return slices.ContainsFunc(r.run.Faults, func(s *timeline.Fault) bool { return s.Effect(history.Slowed) && s.From <= to && s.To >= from })
}

// another returns the last call under way that is not the holder's. A client that has died
// calls again as another process, and such a call counts.
func (s *heldLooks) another(g *timeline.Lease, since int64) (found *holdCall) {
	for _, c := range s.under {
		if c.client != g.Client || g.Died() && g.Crash.Time == since && c.inv.Time > since {
			found = c
		}
	}
	return found
}

// holdMoved reports whether the end of a hold is later than an earlier look allowed.
// The earlier look counts with its latest end and the later one with its earliest, so that a slow
// answer is no move. Where servers report whole seconds, a second more is needed.
func (r *extendedByOther) holdMoved(before, k *holdLook, seen history.Hold) bool {
	step := r.run.Options.Patience() + r.run.Coarseness()
	return k.least(seen)-before.by[seen.Owner].Until > step
}

func (r *extendedByOther) report(h *holding, seen history.Hold, k *holdLook) {
	g, m, since := h.lease, h.moves.movedMet, h.moves.since
	r.found.Add("extended-by-other", since, func() incident.Anomaly {
		how, c := "was paused", h.moves.lastOther
		w := []*history.Op{g.Ret, m.least.probe, m.once.probe, k.probe, m.call.inv, m.call.ret, c.inv, c.ret}
		if g.Died() && g.Crash.Time == since {
			how, w = "died", append(w, g.Crash)
		}
		ends := func(k *holdLook) string { return timeline.At(k.by[seen.Owner].Until) }
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: k.probe.Time, Ops: incident.Ops(w...),
			Sentence: fmt.Sprintf("%s of %s was extended by other clients after its holder %s %s at %s. Probes at %s, %s and %s showed that %s ends it at %s, %s and %s. Each time the end moved, a call of another client was under way: %s called %s for %s at %s, and %s called %s at %s",
				g.Claimed(), g.Lock.Name, timeline.Who(g.Client), how, timeline.At(since), timeline.At(m.least.probe.Time), timeline.At(m.once.probe.Time), timeline.At(k.probe.Time), k.probe.Node, ends(m.least), ends(m.once), ends(k),
				timeline.Who(m.call.client), m.call.inv.F, g.Lock.Name, timeline.At(m.call.inv.Time), timeline.Who(c.client), c.inv.F, timeline.At(c.inv.Time)),
		}
	})
}
