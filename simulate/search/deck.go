package search

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
)

// A cell is a kind of fault at a class of points. The lease, the exact point, the servers and
// the times of the fault are drawn separately.
type cell struct {
	kind  schedule.Kind
	class string // class of points
	order uint64
}

// A deck deals the first fault of each trial of a search. It deals moves in proportion to their
// weights, and the cells of a move one after the other in an order drawn from the seed. So no cell
// is repeated before all have been dealt. The deal of a trial depends only on its number and on the
// leases of its world.
type deck struct {
	seed  uint64
	moves []move
}

// deal returns the move of a trial, numbered from 1, and the number of times that the move was
// dealt before.
func (d deck) deal(number int) (m move, before int) {
	n := len(d.moves)
	full, at := (number-1)/n, (number-1)%n
	order := rand.New(rand.NewPCG(d.seed, uint64(full)<<32|1)).Perm(n)
	m = d.moves[order[at]]
	for i, other := range d.moves {
		if other.name != m.name {
			continue
		}
		before += full
		if slices.Index(order, i) < at {
			before++
		}
	}
	return m, before
}

// cells returns the cells of a move for some leases, in the order of the deck.
func (d deck) cells(m move, leases []*lease) (all []cell) {
	times := map[schedule.Kind]int{}
	for _, k := range m.kinds {
		times[k]++
		classes := map[string]bool{}
		for _, l := range leases {
			for _, c := range at(m.from(l, k), k).classes {
				classes[c] = true
			}
		}
		for c := range classes {
			all = append(all, cell{k, c, d.place(m.name, string(k), c, fmt.Sprint(times[k]))})
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return cmp.Compare(a.order, b.order) })
	return all
}

// place returns the position of a cell in the order, which is the same for all worlds.
func (d deck) place(words ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, d.seed, words)
	return h.Sum64()
}

// at returns the points of from at which a kind of fault can strike.
func at(from *spots, k schedule.Kind) *spots {
	if schedule.Forms()[k].Gate {
		return from
	}
	return from.where(messages)
}

// byLease draws one to three faults around one lease, preferably an early one. The deck deals the
// first; the others are drawn, or make the first more likely to matter.
func (d *drawer) byLease() (s schedule.Schedule) {
	if len(d.deck.moves) == 0 {
		return nil
	}
	m, before := d.deck.deal(d.number)
	cells := d.deck.cells(m, d.leases)
	if len(cells) == 0 && len(d.leases) > 0 {
		return d.another(nil, oneOf(d.r, d.leases))
	}
	if len(cells) == 0 {
		return nil
	}
	c := cells[before%len(cells)]
	having := slices.DeleteFunc(slices.Clone(d.leases), func(l *lease) bool { return m.from(l, c.kind).byClass[c.class] == nil })
	if waiting := slices.DeleteFunc(slices.Clone(having), func(l *lease) bool { return !l.contested }); m.beside != nil && len(waiting) > 0 {
		having = waiting
	}
	n := len(having)
	l := having[min(d.r.IntN(n), d.r.IntN(n), d.r.IntN(n))]
	p := oneOf(d.r, m.from(l, c.kind).byClass[c.class])
	s = d.add(s, m, l, c.kind, p)
	switch d.r.IntN(6) {
	case 0:
		s = d.another(s, l)
	case 1:
		s = d.another(d.another(s, l), l)
	}
	return s
}

// another adds a fault around the same lease.
func (d *drawer) another(s schedule.Schedule, l *lease) schedule.Schedule {
	m := oneOf(d.r, d.deck.moves)
	k := oneOf(d.r, m.kinds)
	p, ok := d.among(m.from(l, k), k)
	if !ok || len(s) >= most {
		return s
	}
	return d.add(s, m, l, k, p)
}

// among draws a point for a kind of fault: first a class of points, then a point of it.
func (d *drawer) among(from *spots, k schedule.Kind) (simulate.Point, bool) {
	from = at(from, k)
	if len(from.all) == 0 || !slices.Contains(d.kinds, k) {
		return simulate.Point{}, false
	}
	return oneOf(d.r, from.byClass[oneOf(d.r, from.classes)]), true
}

// add adds a fault at a point and, two times of three, the fault that makes it more likely to
// matter.
func (d *drawer) add(s schedule.Schedule, m move, l *lease, k schedule.Kind, p simulate.Point) schedule.Schedule {
	whole := k == schedule.Hold && p.Kind != schedule.Reply && d.nodes > 1 && d.r.IntN(3) > 0
	if d.keeps && k == schedule.Hold { // a request goes to one server of a cluster, and the others keep the session
		whole = m.waiter || whole && d.r.IntN(3) == 0
	}
	if whole { // one step of the client: all requests that are sent together
		p = l.firstSend(p)
	}
	one := schedule.Decision{At: p.Point, Kind: k}
	m.fill(d, l, &one, p.At)
	one = bounded(one)
	switch {
	case whole:
		one.Nodes = d.some(one.At.Node, d.nodes)
	case p.Server != "" && (k == schedule.Hold || k == schedule.Reset): // the connection of the message
	case schedule.Forms()[k].Nodes != schedule.No:
		d.aim(&one, d.quorum)
	}
	s, d.ends = append(s, one), max(d.ends, p.At+int64(one.For))
	if m.beside == nil || len(s) >= most || d.r.IntN(3) == 0 {
		return s
	}
	if with, at, ok := m.beside(d, l, one, p.At); ok {
		with = bounded(with)
		s, d.ends = append(s, with), max(d.ends, at+int64(with.For))
	}
	return s
}
