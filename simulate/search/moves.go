package search

import (
	"slices"
	"time"

	"locktorture/checker"
	"locktorture/simulate"
	"locktorture/simulate/schedule"
)

// A move is a way in which a fault can matter to a lease. Its times are those of the lease.
type move struct {
	weight int
	kinds  []schedule.Kind // one of these
	breaks []string        // properties that it mostly does
	// draw draws the point and the times.
	draw func(d *drawer, l *lease, k schedule.Kind) (schedule.Decision, int64, bool)
}

// allMoves are those that there are, with how often each is drawn.
func allMoves() []move {
	return []move{
		{5, []schedule.Kind{schedule.Pause, schedule.Pause, schedule.Hold, schedule.Hold, schedule.Stop}, []string{checker.Ownership}, (*drawer).outlast},
		{4, []schedule.Kind{schedule.Hold, schedule.Hold, schedule.Hold, schedule.Hold, schedule.Reorder}, []string{checker.Ownership, checker.Liveness}, (*drawer).late},
		{3, []schedule.Kind{schedule.Drop, schedule.Reset, schedule.Kill}, []string{checker.Liveness}, (*drawer).lose},
		{3, []schedule.Kind{schedule.Clock, schedule.Clock, schedule.Clock, schedule.Clock, schedule.Skew}, []string{checker.Exclusion}, (*drawer).jump},
		{3, []schedule.Kind{schedule.Restart}, []string{checker.Exclusion}, (*drawer).forget},
	}
}

// broken are the properties of anomalies that are looked for. An overrun is what a holder does
// that outlasts its lease.
func broken(find []string) (all []string) {
	for _, kind := range find {
		if kind == overrun {
			all = append(all, checker.Ownership)
			continue
		}
		all = append(all, checker.PropertyOf(kind))
	}
	return all
}

// byLease draws one to three faults around one lease, an early one rather than a late one.
func (d *drawer) byLease() (s schedule.Schedule) {
	if len(d.leases) == 0 {
		return nil
	}
	n := len(d.leases)
	l := d.leases[min(d.r.IntN(n), d.r.IntN(n), d.r.IntN(n))]
	faults := 1 + d.r.IntN(most)
	for range 3 * faults { // some find no point
		one, at, ok := d.move(l)
		if !ok || len(s) >= faults {
			continue
		}
		s, d.ends = append(s, one), max(d.ends, at+int64(one.For))
		if beside := one.Kind == schedule.Clock || one.Kind == schedule.Restart; beside && len(s) < most && d.r.IntN(3) == 0 {
			s = d.deafen(s, l)
		}
	}
	return s
}

// deafen keeps back what the holder is told, and so what it would learn of its lease.
func (d *drawer) deafen(s schedule.Schedule, l *lease) schedule.Schedule {
	replies := l.during.where(func(p simulate.Point) bool { return p.Kind == schedule.Reply })
	p, ok := d.at(replies, schedule.Hold)
	if !ok || !slices.Contains(d.kinds, schedule.Hold) {
		return s
	}
	one := schedule.Decision{At: p.Point, Kind: schedule.Hold, For: d.span(0.5, 1.5)}
	d.ends = max(d.ends, p.At+int64(one.For))
	return append(s, one)
}

// move draws a fault by a move that the kinds of the search allow.
func (d *drawer) move(l *lease) (one schedule.Decision, at int64, ok bool) {
	var all []move
	for _, m := range allMoves() {
		m.kinds = slices.DeleteFunc(m.kinds, func(k schedule.Kind) bool { return !slices.Contains(d.kinds, k) })
		if len(m.kinds) == 0 {
			continue
		}
		weight := m.weight
		if slices.ContainsFunc(m.breaks, func(p string) bool { return slices.Contains(d.breaks, p) }) {
			weight *= 3
		}
		all = append(all, slices.Repeat([]move{m}, weight)...)
	}
	m := oneOf(d.r, all)
	return m.draw(d, l, oneOf(d.r, m.kinds))
}

// at draws a point for a kind: first what happens there.
func (d *drawer) at(from *spots, k schedule.Kind) (simulate.Point, bool) {
	if !schedule.Forms()[k].Gate {
		from = from.where(messages)
	}
	if len(from.all) == 0 {
		return simulate.Point{}, false
	}
	return oneOf(d.r, from.byClass[oneOf(d.r, from.classes)]), true
}

// outlast keeps the holder, or what it says, until its lease is over. Who stands still does so
// between two steps, mostly.
func (d *drawer) outlast(l *lease, k schedule.Kind) (schedule.Decision, int64, bool) {
	from := l.during
	switch {
	case k == schedule.Pause && d.r.IntN(3) > 0:
		from = from.where(gates)
	case k == schedule.Hold || d.r.IntN(2) == 0:
		from = l.decisive
	}
	p, ok := d.at(from, k)
	left := time.Duration(max(0, l.granted-p.At)) + d.order.TTL
	one := schedule.Decision{At: p.Point, Kind: k, For: left + d.span(0.05, 1)}
	if d.r.IntN(2) == 0 {
		one.For = d.span(1.2, 2.5) // it may have been extended, or waiters come late
	}
	return d.struck(one), p.At, ok
}

// late keeps a message back beyond what the client does without it: until it has given up, or
// the lease that it was granted meanwhile is over.
func (d *drawer) late(l *lease, k schedule.Kind) (schedule.Decision, int64, bool) {
	p, ok := d.at(oneOf(d.r, []*spots{l.around, l.asking, l.decisive}), k)
	one := schedule.Decision{At: p.Point, Kind: k, For: d.span(0.1, 3)}
	if d.r.IntN(2) == 0 {
		one.For = time.Duration(max(0, l.freed-p.At)) + d.span(0.05, 1)
	}
	return d.struck(one), p.At, ok
}

// lose loses a message, a connection or a process.
func (d *drawer) lose(l *lease, k schedule.Kind) (schedule.Decision, int64, bool) {
	p, ok := d.at(oneOf(d.r, []*spots{l.around, l.decisive}), k)
	one := schedule.Decision{At: p.Point, Kind: k}
	if k == schedule.Drop && d.r.IntN(3) == 0 {
		one.For = d.span(0.1, 1)
	}
	return d.struck(one), p.At, ok
}

// jump moves clocks by about a TTL, most often ahead: for a moment, or for as long as a lease
// lasts.
func (d *drawer) jump(l *lease, k schedule.Kind) (schedule.Decision, int64, bool) {
	p, ok := d.at(l.during, k)
	one := schedule.Decision{At: p.Point, Kind: k, By: d.span(1, 1.5), For: d.span(0.1, 0.4)}
	switch d.r.IntN(5) {
	case 0:
		one.By = -one.By
	case 1:
		one.By = d.span(0.3, 3)
	}
	if d.r.IntN(2) == 0 {
		one.For = d.span(0.5, 2)
	}
	return d.struck(one), p.At, ok
}

// forget takes servers away for a while, most often with what they know.
func (d *drawer) forget(l *lease, k schedule.Kind) (schedule.Decision, int64, bool) {
	p, ok := d.at(l.during, k)
	return d.struck(schedule.Decision{At: p.Point, Kind: k, For: d.span(0.02, 0.3), Lost: d.r.IntN(5) > 0}), p.At, ok
}

// struck draws the servers of a fault that can have some.
func (d *drawer) struck(one schedule.Decision) schedule.Decision {
	if schedule.Forms()[one.Kind].Nodes != schedule.No {
		one.Nodes = d.servers(one.At.Node)
	}
	return one
}
