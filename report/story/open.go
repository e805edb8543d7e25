package story

import (
	"slices"

	"locktorture/history"
	"locktorture/report/words"
	"locktorture/timeline"
)

// beginnings returns the faults that had begun before their effect was seen, where something
// else happened in between: what happened there may be their doing. rows holds the messages.
func (t *teller) beginnings(rows []event) (out []event) {
	for _, op := range t.h {
		began, known := op.Began()
		if op.F != history.Fault || op.Type == history.Fail || !known || !t.concerns(op) {
			continue
		}
		between := func(at int64) bool { return began < at && at < op.Time }
		said := slices.ContainsFunc(rows, func(e event) bool { return between(e.time) })
		if !said && !slices.ContainsFunc(t.h, func(o history.Op) bool { return between(o.Time) && t.concerns(o) && o.F != history.Probe }) {
			continue
		}
		e := event{time: began, over: t.struck(op), class: "begins", label: words.Short(op.Kind(), 24) + " begins", fault: op.Fault}
		if len(e.over) == 1 {
			e.from, e.to, e.over = e.over[0], e.over[0], nil
		}
		out = append(out, e)
	}
	return out
}

// beside adds a row that is no entry of the history: a message, or the beginning of a fault,
// which marks its lifelines until the effect is seen.
func (t *teller) beside(e event) {
	if e.class == "begins" {
		for _, id := range append(slices.Clone(e.over), e.from) {
			if id != "" {
				t.story.bands = append(t.story.bands, spell{id, len(t.events), -1, "taken", int64(e.fault)})
			}
		}
	}
	t.add(e)
}

// granted begins the mark of a lease, and ends the marks of the leases that it overtakes, if those
// never declare an end.
func (t *teller) granted(op history.Op) {
	g, class := t.leases.lease(op.Lease), "hold"
	if g == nil {
		return
	}
	if until := g.Until(); until == 0 || until == history.Never {
		class = "open"
	}
	for _, b := range slices.Clone(t.story.holds) {
		if b.class == "open" && b.to < 0 && slices.Contains(t.takes[op.Lease], b.of) {
			t.over(b.of, "overtaken")
		}
	}
	t.story.holds = append(t.story.holds, spell{client(op), len(t.events), -1, class, op.Lease})
}

// grants are leases in the order of their grants.
type grants []*timeline.Lease

// lease returns the lease of a number; nil if it was not granted.
func (list grants) lease(number int64) *timeline.Lease {
	for _, g := range list {
		if g.Number == number {
			return g
		}
	}
	return nil
}

// ofOwner returns the latest lease granted under an owner value by a moment, else the first one granted
// later; nil if there is none.
func (list grants) ofOwner(owner string, at int64) (found *timeline.Lease) {
	for _, g := range list {
		if g.Owner == owner && (found == nil || g.Granted() <= at) {
			found = g
		}
	}
	return found
}

// releasedBy reports whether the release of a lease was called by a moment.
func releasedBy(g *timeline.Lease, at int64) bool { return g.RelCall != nil && g.RelCall.Time <= at }
