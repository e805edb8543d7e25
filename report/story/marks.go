package story

import (
	"fmt"
	"slices"

	"locktorture/history"
	"locktorture/report/words"
)

// valid notes until when a lease is valid, as its holder was just told.
func (t *teller) valid(op history.Op) {
	t.ends = slices.DeleteFunc(t.ends, func(v validity) bool { return v.lease == op.Lease })
	if _, most := op.Validity(); most > 0 && most < history.Never {
		t.ends = append(t.ends, validity{at: most, lease: op.Lease, actor: client(op)})
	}
}

// validities tells which ones are over by now.
func (t *teller) validities(now int64) {
	slices.SortStableFunc(t.ends, func(a, b validity) int { return int(max(-1, min(1, a.at-b.at))) })
	for len(t.ends) > 0 && t.ends[0].at < now {
		v := t.ends[0]
		t.ends = t.ends[1:]
		t.pending(-1)
		if v.lease == 0 {
			t.add(event{time: v.at, from: v.actor, to: v.actor, label: v.label, class: "end"})
			continue
		}
		t.over(v.lease, "beyond")
		t.add(event{time: v.at, from: v.actor, to: v.actor, label: fmt.Sprintf("lease %d ends", v.lease), class: "end"})
	}
}

// over ends the mark of a lease with the next row; it goes on in another class from there on,
// if there is one.
func (t *teller) over(lease int64, next string) {
	for i := range t.story.holds {
		b := &t.story.holds[i]
		if b.of != lease || b.to >= 0 {
			continue
		}
		b.to = len(t.events)
		if next != "" {
			t.story.holds = append(t.story.holds, spell{b.actor, len(t.events), -1, next, lease})
		}
		return
	}
}

// released ends the mark of a lease.
func (t *teller) released(op history.Op) {
	t.over(op.Lease, "")
	if op.Type != history.Info {
		t.ends = slices.DeleteFunc(t.ends, func(v validity) bool { return v.lease == op.Lease })
	}
}

// fault marks the lifelines that a fault strikes, from its effect to its end.
func (t *teller) fault(op history.Op) {
	t.pending(-1)
	t.taken(op)
	struck := t.struck(op)
	e := event{time: op.Time, over: struck, class: "fault", label: blow(op)}
	if op.F == history.Heal {
		e.class, e.label = "heal", healed(op)
		for i := range t.story.bands {
			if b := &t.story.bands[i]; b.to < 0 && b.of == int64(op.Fault) {
				b.to = len(t.events)
			}
		}
	} else {
		for _, id := range struck {
			t.story.bands = append(t.story.bands, spell{id, len(t.events), -1, faultClass(op), int64(op.Fault)})
		}
	}
	if len(struck) == 1 {
		e.from, e.to, e.over = struck[0], struck[0], nil
	}
	t.add(e)
}

// taken ends the mark of a fault that was being put in place.
func (t *teller) taken(op history.Op) {
	for i := range t.story.bands {
		if b := &t.story.bands[i]; b.class == "taken" && b.to < 0 && b.of == int64(op.Fault) {
			b.to = len(t.events)
		}
	}
}

// blow says what a fault did, as seen. That a client's process was hit at a step of
// the script is what the drawing shows.
func blow(op history.Op) string {
	switch op.FaultTraits().Effect {
	case history.Stopped:
		return "stopped"
	case history.Killed:
		return "killed"
	}
	return op.Seen()
}

// healed says that a fault is over.
func healed(op history.Op) string {
	switch op.FaultTraits().Effect {
	case history.Stopped:
		return "resumes its work"
	case history.Held:
		return "nothing is held back any more"
	case history.Skewed:
		return "the clock is right again"
	case history.Down:
		return "serves again"
	}
	return words.Short(op.Kind(), 24) + " is over"
}

// faultClass returns how a fault is marked: stopped, down, skewed, or cut off.
func faultClass(op history.Op) string {
	switch op.FaultTraits().Effect {
	case history.Stopped:
		return "stopped"
	case history.Down, history.Killed:
		return "down"
	case history.Skewed:
		return "skewed"
	}
	return "cut"
}

// struck returns the lifelines of a fault; that of the lock if the nodes have none.
func (t *teller) struck(op history.Op) []string {
	if op.Client > 0 {
		return []string{client(op)}
	}
	var out []string
	for _, n := range op.Nodes() {
		if slices.ContainsFunc(t.story.actors, func(a actor) bool { return a.id == "N"+n }) {
			out = append(out, "N"+n)
		}
	}
	if len(out) == 0 {
		out = []string{"L0"}
	}
	return out
}

// sight tells when a server was first seen to keep the lock for somebody else
// than before, or for nobody. Sights of several servers that say the same are one row.
func (t *teller) sight(op history.Op) {
	if !slices.Contains(t.locks, op.Lock) {
		return
	}
	key := op.Node + " " + op.Lock
	before, seen := t.shown[key]
	if op.Owner() == before && seen || !seen && op.Owner() == "" {
		t.shown[key] = op.Owner()
		return
	}
	label := "seen: free"
	if op.Owner() != "" {
		label = "seen: taken"
		g := t.leases.ofOwner(op.Owner(), op.Time)
		switch {
		case g == nil:
		case g.Granted() <= op.Time:
			label = fmt.Sprintf("seen: lease %d", g.Number)
		default:
			return // the answer is not here yet; the next look tells whose it is
		}
	}
	t.shown[key] = op.Owner()
	t.pending(-1)
	on := "N" + op.Node
	if !slices.ContainsFunc(t.story.actors, func(a actor) bool { return a.id == on }) {
		on = t.lock(op)
	}
	if n := len(t.events); n > 0 {
		if last := &t.events[n-1]; last.class == "seen" && last.label == label && !slices.Contains(last.over, on) {
			last.over = append(last.over, on)
			return
		}
	}
	t.add(event{time: op.Time, over: []string{on}, label: label, class: "seen"})
}

// close ends the marks that are still open.
func (t *teller) close() {
	n := len(t.events)
	for _, list := range [][]spell{t.story.bands, t.story.holds} {
		for i := range list {
			if list[i].to < 0 {
				list[i].to = n
			}
		}
	}
}
