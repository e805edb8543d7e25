package diagram

import (
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/words"
)

// faultSteps returns the faults in place, from when each began to be put in place: its effect
// can show before it was seen. Where nothing happened meanwhile one step does.
func faultSteps(a checker.Anomaly, e evidence) []step {
	var out []step
	times := e.times(a)
	for _, f := range a.Faults {
		kind, own := words.Short(f.Kind(), 24), len(e.votes) > 0 && f.Client == 0
		label := words.Short(fmt.Sprintf("%s: %s", f.Kind(), f.Seen()), 75)
		began, known := f.Began()
		early := known && slices.ContainsFunc(times, func(at int64) bool { return began < at && at < f.Time })
		for _, name := range struck(f, e) {
			s := step{from: name, to: name, fault: f.Fault, weight: 9}
			if own {
				s.on = []string{name}
			}
			add := func(at int64, label, class string, weight int, begins bool) {
				s.time, s.label, s.class, s.weight, s.begins = at, label, class, weight, begins
				out = append(out, s)
			}
			if early {
				add(began, kind+" begins", "begins", 9, true)
			}
			add(f.Time, label, "fault", 9, false)
			if heal, ok := e.heals[f.Fault]; ok {
				add(heal.Time, kind+" healed", "heal", 1, false)
			}
			label = kind + ", as above"
		}
	}
	return out
}

// times returns the times of everything that is drawn beside faults.
func (e evidence) times(a checker.Anomaly) (list []int64) {
	for _, op := range append(slices.Clone(e.ops), a.Ops...) {
		list = append(list, op.Time)
	}
	for _, b := range e.votes {
		for _, v := range b.Answers {
			list = append(list, v.Request.Came, v.Reply.Came)
		}
	}
	return list
}

// struck returns the lifelines that a fault struck: a client, or a group of nodes; each node
// where those have lifelines of their own.
func struck(f history.Op, e evidence) []string {
	if f.Client > 0 {
		return []string{fmt.Sprintf("c%d", f.Client)}
	}
	var own []string
	for _, n := range f.Nodes() {
		if len(e.votes) > 0 {
			own = append(own, nodeName([]string{n}))
		}
	}
	if own == nil {
		own = []string{nodeName(f.Nodes())}
	}
	return own
}
