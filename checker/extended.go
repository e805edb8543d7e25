package checker

import (
	"fmt"
	"slices"

	"locktorture/history"
)

// holdMoves are what the looks at a hold have shown since its holder can do nothing for it.
type holdMoves struct {
	since     int64     // from when on it can do nothing; 0: it can
	early     *holdLook // the one with the earliest end, of those since which nobody else has called
	earlyMet  *holdLook // the same, of those since which somebody has
	moved     *holdMove // after which it had moved on, the one with the earliest end, since which nobody else has called
	movedMet  *holdMove // the same, since which somebody has
	lastOther *holdCall
}

// A holdMove is two looks between which the end of a hold moved on while another called.
type holdMove struct {
	least, once *holdLook
	call        *holdCall
}

// extendedByOther finds a hold whose end moves on twice, each time while another calls, although
// its holder is dead or stopped. A single move can be a renewal of its own that was under way
// and landed later: a client has one under way at a time, where no messages are delayed.
type extendedByOther struct {
	base
	reported leaseSet
}

func (r *extendedByOther) look(s *heldLooks, h *holding, seen history.Hold, last, k *holdLook) {
	m, g := &h.moves, h.lease
	since := r.helpless(g, k)
	if since == 0 || seen.Until == history.Never || r.reported[g] {
		*m = holdMoves{}
		return
	}
	if m.since != since || r.run.disturbed(last.asked, k.probe.Time) {
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

// met notes that another called since all looks so far.
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

// earlier is the look that shows the earlier end of a hold, the first if both show one; nil is
// none.
func earlier(a, b *holdLook, owner string) *holdLook {
	if a == nil || b != nil && b.by[owner].Until < a.by[owner].Until {
		return b
	}
	return a
}

// helpless tells since when a holder can do nothing for its hold, if that was so before a look
// and is after it; 0 if not. It died, or it is stopped; who is let go on is so a little before
// that is recorded. Where messages are delayed a client that gave one renewal up may have sent
// the next, and several land after its end.
func (r *extendedByOther) helpless(g *lease, k *holdLook) int64 {
	if g.relCall != nil && g.relCall.Time <= k.probe.Time || r.slowed(g.inv.Time, k.probe.Time) {
		return 0
	}
	if g.died() && g.crash.Time < k.asked {
		return g.crash.Time
	}
	for _, s := range r.run.faults {
		if s.stops(g.client) && s.from < k.asked && k.probe.Time < s.to-probeTakes {
			return s.from
		}
	}
	return 0
}

// slowed reports whether messages were delayed at some time between two moments.
func (r *extendedByOther) slowed(from, to int64) bool {
	return slices.ContainsFunc(r.run.faults, func(s *span) bool { return s.effect(history.Slowed) && s.from <= to && s.to >= from })
}

// another is the last call of those under way that is not the holder's. A client that has died
// calls again as another process.
func (s *heldLooks) another(g *lease, since int64) (found *holdCall) {
	for _, c := range s.under {
		if c.client != g.client || g.died() && g.crash.Time == since && c.inv.Time > since {
			found = c
		}
	}
	return found
}

// holdMoved reports whether the end of a hold is later than an earlier look allowed.
func (r *extendedByOther) holdMoved(before, k *holdLook, seen history.Hold) bool {
	step := r.run.o.patience() + r.run.coarseness()
	return k.least(seen)-before.by[seen.Owner].Until > step
}

func (r *extendedByOther) report(h *holding, seen history.Hold, k *holdLook) {
	g, m, since := h.lease, h.moves.movedMet, h.moves.since
	r.found.add("extended-by-other", since, func() Anomaly {
		how, c := "was stopped", h.moves.lastOther
		w := []*history.Op{g.ret, m.least.probe, m.once.probe, k.probe, m.call.inv, m.call.ret, c.inv, c.ret}
		if g.died() && g.crash.Time == since {
			how, w = "died", append(w, g.crash)
		}
		ends := func(k *holdLook) string { return at(k.by[seen.Owner].Until) }
		return Anomaly{
			Lock: g.lock.name, Time: k.probe.Time, Ops: ops(w...),
			Sentence: fmt.Sprintf("%s of %s by %s, which %s at %s, was extended by others: looked at at %s, %s and %s, %s showed its end at %s, %s and %s. %s called for the %s of %s at %s, and %s for the %s at %s",
				g.claimed(), g.lock.name, who(g.client), how, at(since), at(m.least.probe.Time), at(m.once.probe.Time), at(k.probe.Time), k.probe.Node, ends(m.least), ends(m.once), ends(k),
				who(m.call.client), m.call.inv.F, g.lock.name, at(m.call.inv.Time), who(c.client), c.inv.F, at(c.inv.Time)),
		}
	})
}
