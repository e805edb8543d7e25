package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
	"locktorture/simulate/inside"
)

// A drawer draws the faults of one trial.
type drawer struct {
	r     *rand.Rand
	order inside.Order
	nodes int
	by    strategy
	kinds []schedule.Kind
	// all holds the points of the run without faults, and messages only the points at
	// messages.
	messages, all *spots
	leases        []*lease
	deck          deck
	number        int   // number of the trial, from 1
	ends          int64 // time at which the last fault ends, ns
	watched       bool  // holders are notified of the loss of their leases
	keeps         bool  // servers cannot lose their data
	sessions      bool  // a lease lasts as long as a session of its client
}

// most is the largest number of faults in a trial.
const most = 3

// draw draws a schedule; nil if the run without faults had no points.
func (d *drawer) draw() schedule.Schedule {
	if d.by.lease {
		return d.byLease()
	}
	var s schedule.Schedule
	var first *simulate.Point
	for range 1 + d.r.IntN(most) {
		if one, at, ok := d.decision(first); ok {
			s, d.ends = append(s, one), max(d.ends, at.At+int64(one.For))
			if first == nil {
				first = &at
			}
		}
	}
	return s
}

// decision draws a fault. It may be drawn near the point first, if that is not nil.
func (d *drawer) decision(first *simulate.Point) (schedule.Decision, simulate.Point, bool) {
	k := d.kind()
	from := d.messages
	if schedule.Forms()[k].Gate {
		from = d.all
	}
	switch {
	case first != nil && d.by.near && d.r.IntN(2) == 0:
		from = from.within(first.At, first.At+2*int64(d.order.TTL))
	case d.by.near && d.r.IntN(4) > 0: // leaves time for the consequences
		from = from.within(0, int64(d.order.Duration)/2)
	}
	if len(from.all) == 0 {
		return schedule.Decision{}, simulate.Point{}, false
	}
	at := oneOf(d.r, from.all)
	if d.by.class {
		at = oneOf(d.r, from.byClass[oneOf(d.r, from.classes)])
	}
	return d.fill(schedule.Decision{At: at.Point, Kind: k}), at, true
}

func (d *drawer) kind() schedule.Kind {
	if d.by.holds && slices.Contains(d.kinds, schedule.Hold) && d.r.IntN(3) > 0 {
		return schedule.Hold
	}
	return oneOf(d.r, d.kinds)
}

// fill draws the parameters that the kind of fault requires.
func (d *drawer) fill(one schedule.Decision) schedule.Decision {
	f := schedule.Forms()[one.Kind]
	if f.For == schedule.Must || f.For == schedule.May && d.r.IntN(3) == 0 {
		one.For = d.duration(one.Kind)
	}
	if f.By != schedule.No {
		one.By = d.span(0.3, 3)
		if d.r.IntN(3) == 0 {
			one.By = -one.By
		}
	}
	if f.Nodes != schedule.No && (one.At.Server == "" || one.Kind != schedule.Hold && one.Kind != schedule.Reset) {
		d.aim(&one, d.servers)
	}
	if f.Data != schedule.No {
		one.Lost = d.r.IntN(2) == 0 && !d.keeps
	}
	return bounded(one)
}

// bounded returns a fault with times that a schedule can have. Parts of a long TTL can be longer.
func bounded(one schedule.Decision) schedule.Decision {
	one.For = min(one.For, schedule.MostFor)
	one.By = max(min(one.By, schedule.MostBy), -schedule.MostBy)
	return one
}

// duration draws the length of a fault. Half of the faults outlast a lease; a restart is shorter,
// and so is the delay of an overtaken message.
func (d *drawer) duration(k schedule.Kind) time.Duration {
	switch k {
	case schedule.Restart, schedule.Blackout:
		return d.span(0.05, 0.5)
	case schedule.Reorder:
		return d.span(0.01, 0.5)
	case schedule.Fsync, schedule.Cut, schedule.Power, schedule.EIO:
		return d.span(0.4, 4) // an election, and the leases that the old leader knows
	case schedule.Hold:
		if d.r.IntN(3) == 0 {
			return d.span(0.02, 1)
		}
	}
	return d.span(0.4, 2.5)
}

// span draws a time between least and most TTLs, evenly on a logarithmic scale.
func (d *drawer) span(least, most float64) time.Duration {
	x := least * math.Exp(d.r.Float64()*math.Log(most/least))
	return max(time.Millisecond, time.Duration(x*float64(d.order.TTL)).Round(time.Millisecond))
}

// servers draws one server, a minority, a majority or all servers; the last two are twice as
// likely as the others. here is among the drawn servers, unless it is 0. nil stands for here
// alone.
func (d *drawer) servers(here int) []int {
	return d.some(here, oneOf(d.r, []int{1, max(1, d.nodes/2), d.nodes/2 + 1, d.nodes/2 + 1, d.nodes, d.nodes}))
}

// quorum draws one server, a majority or, most often, all servers, because only a majority
// affects a lock on several servers.
func (d *drawer) quorum(here int) []int {
	return d.some(here, oneOf(d.r, []int{1, d.nodes/2 + 1, d.nodes/2 + 1, d.nodes, d.nodes, d.nodes}))
}

// aim draws the servers that a fault strikes: in a cluster, one time of three its leader.
func (d *drawer) aim(one *schedule.Decision, usual func(here int) []int) {
	if one.Leader = d.order.Cluster() != "" && d.nodes > 1 && d.r.IntN(3) == 0; !one.Leader {
		one.Nodes = d.struck(one.Kind, one.At.Node, usual)
	}
}

// struck draws the servers that a kind of fault strikes. A slow disk or a cut matters most on
// one server of a cluster, because the others elect a new leader. usual draws the servers for
// all other kinds.
func (d *drawer) struck(k schedule.Kind, here int, usual func(here int) []int) []int {
	if !schedule.Forms()[k].Cluster || k == schedule.Power || k == schedule.Blackout {
		return usual(here)
	}
	return d.some(here, oneOf(d.r, []int{1, 1, 1, 1, max(1, d.nodes/2), d.nodes/2 + 1}))
}

// some draws k servers, starting with here if it is not 0; nil stands for here alone.
func (d *drawer) some(here, k int) []int {
	if here > 0 && (k == 1 || d.nodes == 1) {
		return nil
	}
	order := d.r.Perm(d.nodes)
	for i := range order {
		order[i]++
	}
	if i := slices.Index(order, here); i > 0 {
		order[0], order[i] = order[i], order[0]
	}
	l := order[:min(k, d.nodes)]
	slices.Sort(l)
	return l
}

// vary changes a schedule that had shown a new state: it adds a fault, replaces one, or changes its
// times.
func (d *drawer) vary(s schedule.Schedule) schedule.Schedule {
	i := d.r.IntN(len(s))
	one, _, ok := d.decision(nil)
	switch n := d.r.IntN(3); {
	case n == 0 && ok && len(s) < most:
		return append(s, one)
	case n == 1 && ok:
		s[i] = one
	default:
		s[i] = d.fill(schedule.Decision{At: s[i].At, Kind: s[i].Kind})
	}
	return s
}
