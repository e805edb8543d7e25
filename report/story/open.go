package story

import (
	"slices"

	"locktorture/history"
	"locktorture/report/words"
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

// endsTold returns the leases of which anybody was ever told an end.
func endsTold(h history.History) map[int64]bool {
	told := map[int64]bool{}
	for _, op := range h {
		if _, most := op.Validity(); op.F == history.Ask && op.Type == history.OK && most > 0 && most < history.Never {
			told[op.Lease] = true
		}
	}
	return told
}

// granted begins the mark of a lease. Those of the same lock of which no end was told are
// overtaken by it, if it is for its holder alone.
func (t *teller) granted(op history.Op) {
	class := "hold"
	if !t.ended[op.Lease] {
		class = "open"
	}
	if op.Mode == "" {
		for _, b := range slices.Clone(t.story.holds) {
			if b.class == "open" && b.to < 0 && b.actor != client(op) && t.lockOf(b.of) == op.Lock {
				t.over(b.of, "overtaken")
			}
		}
	}
	t.story.holds = append(t.story.holds, spell{client(op), len(t.events), -1, class, op.Lease})
}

// lockOf returns the lock of a lease.
func (t *teller) lockOf(lease int64) string {
	for _, op := range t.h {
		if op.Lease == lease && op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try) {
			return op.Lock
		}
	}
	return ""
}
