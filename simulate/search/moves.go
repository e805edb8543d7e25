package search

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
)

// A move is a way in which a fault can affect a lease.
type move struct {
	name   string
	weight int
	kinds  []schedule.Kind // each is drawn as often as it is listed
	breaks []string        // properties that the move usually violates
	waiter bool            // it strikes a client that waits for a message of a cluster
	// from returns the points of a lease at which a fault of the kind can have this effect.
	from func(l *lease, k schedule.Kind) *spots
	// fill draws the times of a fault, which derive from the lease.
	fill func(d *drawer, l *lease, one *schedule.Decision, at int64)
	// beside draws a second fault that makes the first more likely to matter; nil: none.
	beside func(d *drawer, l *lease, one schedule.Decision, at int64) (schedule.Decision, int64, bool)
}

// allMoves returns all moves with their weights.
func allMoves() []move {
	return []move{
		{"outlast", 5, []schedule.Kind{schedule.Pause, schedule.Pause, schedule.Hold, schedule.Hold, schedule.Stop, schedule.Fsync, schedule.EIO, schedule.Cut}, []string{checker.Ownership}, false, (*lease).keeping, (*drawer).outlast, nil},
		{"late", 4, []schedule.Kind{schedule.Hold, schedule.Hold, schedule.Hold, schedule.Hold, schedule.Reorder}, []string{checker.Ownership, checker.Liveness}, false, (*lease).telling, (*drawer).late, nil},
		{"lose", 3, []schedule.Kind{schedule.Drop, schedule.Reset, schedule.Kill}, []string{checker.Liveness}, false, (*lease).losing, (*drawer).lose, nil},
		{"jump", 3, []schedule.Kind{schedule.Clock, schedule.Clock, schedule.Clock, schedule.Clock, schedule.Skew}, []string{checker.Exclusion}, false, (*lease).holding, (*drawer).jump, (*drawer).stretch},
		{"pretend", 3, []schedule.Kind{schedule.Power}, []string{checker.Exclusion}, false, (*lease).telling, (*drawer).pretend, (*drawer).stretch},
		{"unplug", 3, []schedule.Kind{schedule.Blackout}, []string{checker.Exclusion}, false, (*lease).holding, (*drawer).forget, (*drawer).stretch},
		{"forget", 3, []schedule.Kind{schedule.Restart}, []string{checker.Exclusion}, false, (*lease).holding, (*drawer).forget, (*drawer).stretch},
		{"wait", 3, []schedule.Kind{schedule.Hold, schedule.Hold, schedule.Hold, schedule.Reset, schedule.Compact}, []string{checker.Exclusion, checker.Liveness}, true, (*lease).waiting, (*drawer).outwait, (*drawer).unheard},
		{"oust", 6, []schedule.Kind{schedule.Revoke}, []string{checker.Exclusion, checker.Liveness}, true, (*lease).waiting, (*drawer).lose, (*drawer).overtaken},
	}
}

// broken returns the properties of the anomalies that the search looks for. An overrun counts as
// ownership.
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

// movesOf returns the moves that the kinds of faults allow, each as often as its weight. The weight
// is tripled if the move usually violates one of the properties. The servers of a cluster wake the
// waiters, and a restart costs them no data.
func movesOf(kinds []schedule.Kind, breaks []string, cluster bool) (all []move) {
	for _, m := range allMoves() {
		m.kinds = slices.DeleteFunc(m.kinds, func(k schedule.Kind) bool { return !slices.Contains(kinds, k) })
		if len(m.kinds) == 0 || m.waiter && !cluster {
			continue
		}
		weight := m.weight
		if keeps := cluster && slices.Contains(m.kinds, schedule.Restart); !keeps && slices.ContainsFunc(m.breaks, func(p string) bool { return slices.Contains(breaks, p) }) {
			weight *= 3
		}
		all = append(all, slices.Repeat([]move{m}, weight)...)
	}
	return all
}

// outlast stops the holder, or holds back its messages, until its lease has ended.
func (d *drawer) outlast(l *lease, one *schedule.Decision, at int64) {
	left := max(0, time.Duration(l.granted-at)+d.order.TTL)
	one.For = left + d.span(0.05, 1)
	switch {
	case schedule.Forms()[one.Kind].Cluster:
		one.For = d.duration(one.Kind)
	case d.r.IntN(3) == 0:
		one.For = d.span(1.2, 2.5) // the lease may be extended, or waiters come late
	}
}

// late holds a message back until the client has timed out, or until the lease that it was granted
// meanwhile has ended.
func (d *drawer) late(l *lease, one *schedule.Decision, at int64) {
	one.For = d.span(0.1, 3)
	switch n := d.r.IntN(3); {
	case d.sessions && (n == 0 || d.r.IntN(3) == 0): // the client keeps its session meanwhile
		one.For = d.patience(at <= l.granted) + d.span(0.02, 0.6)
	case n > 0:
		one.For = time.Duration(max(0, l.freed-at)) + d.span(0.4, 1.5)
	}
	d.ends = max(d.ends, at+int64(one.For+d.order.TTL/2)) // the trial must show a lease that begins then
}

// patience returns the time after which a client gives up a request for the lock, or a release.
func (d *drawer) patience(asks bool) time.Duration {
	if asks {
		return cmp.Or(d.order.Wait, 2*d.order.TTL)
	}
	return releaseLimit
}

// releaseLimit is the time after which the harness gives up a release.
const releaseLimit = 2 * time.Second

// outwait holds back the messages of a waiter until its turn has come, or until its session and
// so its place in the queue are lost. In the second case the hold ends before the client gives up.
func (d *drawer) outwait(l *lease, one *schedule.Decision, at int64) {
	if schedule.Forms()[one.Kind].For == schedule.No {
		return
	}
	one.For = time.Duration(max(0, l.granted-at)) + d.span(0.02, 2)
	left := d.patience(true) - time.Duration(at-l.asked)
	left = (left - schedule.Room) * 5 / 6 // real servers get longer holds
	if left > d.order.TTL && d.r.IntN(4) > 0 {
		one.For = d.order.TTL + time.Duration(d.r.Int64N(int64(left-d.order.TTL)))
	}
	one.For = one.For.Round(time.Millisecond)
}

// unheard keeps a waiter from hearing what became of it: one of its connections is held back for
// longer than the others, or all break after a compaction, so that its watch must begin again.
func (d *drawer) unheard(l *lease, one schedule.Decision, at int64) (schedule.Decision, int64, bool) {
	if one.Kind == schedule.Compact {
		with := schedule.Decision{At: one.At, Kind: schedule.Reset, Nodes: d.some(0, d.nodes)}
		if !slices.Contains(d.kinds, schedule.Reset) {
			with.Kind, with.For = schedule.Restart, d.span(0.02, 0.25)
		}
		return with, at, slices.Contains(d.kinds, with.Kind)
	}
	p, ok := d.among(l.waiting(schedule.Hold).where(func(p simulate.Point) bool { return p.At >= at }), schedule.Hold)
	with := schedule.Decision{At: p.Point, Kind: schedule.Hold, For: (time.Duration(at-p.At) + one.For + d.span(0.1, 1)).Round(time.Millisecond)}
	return with, p.At, ok && one.Kind == schedule.Hold && with.For > 0 // else the first hold is long over
}

// overtaken holds back the replies to a waiter that has lost its lease, so that the next one is
// granted the lock before the waiter hears of the last one's release.
func (d *drawer) overtaken(l *lease, _ schedule.Decision, at int64) (schedule.Decision, int64, bool) {
	p, ok := d.among(l.waits.where(func(p simulate.Point) bool {
		return p.Kind == schedule.Reply && p.At >= at && !strings.HasPrefix(p.What, keepAlive)
	}), schedule.Hold)
	return schedule.Decision{At: p.Point, Kind: schedule.Hold, For: d.span(0.05, 0.25)}, p.At, ok && slices.Contains(d.kinds, schedule.Hold)
}

// lose loses a message, a connection or a process.
func (d *drawer) lose(_ *lease, one *schedule.Decision, _ int64) {
	if one.Kind == schedule.Drop && d.r.IntN(3) == 0 {
		one.For = d.span(0.1, 1)
	}
}

// jump moves clocks by about a TTL, usually ahead, either briefly or for as long as a lease lasts.
func (d *drawer) jump(_ *lease, one *schedule.Decision, _ int64) {
	one.By, one.For = d.span(1, 1.5), d.span(0.1, 0.4)
	switch d.r.IntN(5) {
	case 0:
		one.By = -one.By
	case 1:
		one.By = d.span(0.3, 3)
	}
	if d.r.IntN(2) == 0 {
		one.For = d.span(0.5, 2)
	}
}

// forget restarts servers, usually without their data, or cuts their power.
func (d *drawer) forget(_ *lease, one *schedule.Decision, _ int64) {
	one.For, one.Lost = d.span(0.02, 0.25), d.r.IntN(5) > 0 && !d.keeps && schedule.Forms()[one.Kind].Data != schedule.No
}

// pretend lets the power fail while a lease is in use that the disks never kept.
func (d *drawer) pretend(l *lease, one *schedule.Decision, at int64) {
	one.For = time.Duration(max(0, l.granted-at)) + d.span(0.02, 0.5)
}

// stretch keeps the lease in use while servers change their state: its holder is paused in its
// section, or its messages are held back. A lock that notifies its holders usually needs the hold.
func (d *drawer) stretch(l *lease, one schedule.Decision, at int64) (schedule.Decision, int64, bool) {
	p, ok := d.among(l.holding(schedule.Pause).where(func(p simulate.Point) bool { return p.Kind == schedule.Gate && p.At >= at }), schedule.Pause)
	if one.At.Kind == schedule.Gate {
		p.Point, p.At = one.At, at
	}
	with := schedule.Decision{At: p.Point, Kind: schedule.Pause, For: min(one.For, d.order.TTL/2) + d.span(0.2, 0.8)}
	if deaf := d.r.IntN(4) == 0; d.watched != deaf {
		with.Kind, with.Nodes = schedule.Hold, d.some(0, d.nodes)
	}
	return with, p.At, ok && slices.Contains(d.kinds, with.Kind)
}
