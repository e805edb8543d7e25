package nemesis

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// A Draw is the source of the random choices of one schedule. Kinds (a mode, the number of
// servers, the servers themselves) are drawn from bags. A bag yields each kind as often as its
// weight before it is filled again, so that no run lacks an important kind. Coins (with or
// without the data of a server) are balanced for each server. Times are drawn with the Rand,
// and so are clients, because all clients are equal. Equal Rands give equal draws.
type Draw struct {
	*rand.Rand
	fault string
	bags  map[bag][]int // remaining number of each choice
	leads map[toss]int  // heads minus tails
	loose bool          // the current step is drawn without the bags
}

// A bag identifies one property of a fault that is drawn.
type bag struct{ fault, property string }

// A toss identifies a coin for one node.
type toss struct {
	fault, property string
	node            int
}

// NewDraw returns a Draw whose bags are full.
func NewDraw(r *rand.Rand) *Draw { return &Draw{Rand: r, bags: map[bag][]int{}, leads: map[toss]int{}} }

// step draws a step of a fault. The bags and coins stay as they were until the caller accepts
// the step by calling take. A loose step is drawn without the bags: their remaining choices
// may not fit now, and are kept for later.
func (d *Draw) step(fault string, n Nemesis, w *World, loose bool) (s Step, take func()) {
	bags, leads := d.bags, d.leads
	d.fault, d.loose, d.bags, d.leads = fault, loose, maps.Clone(bags), maps.Clone(leads)
	s = n.Plan(d, w)
	newBags, newLeads := d.bags, d.leads
	d.bags, d.leads = bags, leads
	return s, func() { d.bags, d.leads = newBags, newLeads }
}

// one draws a number below len(weights). The weights must be the same whenever this property
// is drawn.
func (d *Draw) one(property string, weights ...int) int {
	return d.distinct(property, 1, weights)[0]
}

// of draws one of some words. A word may occur more than once.
func (d *Draw) of(property string, words []string) string {
	return words[d.one(property, ones(len(words))...)]
}

// distinct draws size different numbers below len(weights).
func (d *Draw) distinct(property string, size int, weights []int) (chosen []int) {
	b := bag{d.fault, property}
	left := slices.Clone(d.bags[b])
	for range size {
		if d.loose || left == nil || total(without(left, chosen)) == 0 {
			left = slices.Clone(weights)
		}
		n := weighted(d.Rand, without(left, chosen))
		left[n]--
		chosen = append(chosen, n)
	}
	if !d.loose {
		d.bags[b] = left
	}
	return chosen
}

// coin tosses one coin for several nodes. Each node gets heads about as often as tails over
// all tosses, because servers may differ, and a fault of one may never have struck another.
func (d *Draw) coin(property string, nodes []int) (heads bool) {
	lead := 0
	for _, n := range nodes {
		lead += d.leads[toss{d.fault, property, n}]
	}
	heads = lead < 0 || lead == 0 && d.IntN(2) == 0
	step := -1
	if heads {
		step = 1
	}
	for _, n := range nodes {
		d.leads[toss{d.fault, property, n}] += step
	}
	return heads
}

// weighted draws a number as often as its weight.
func weighted(r *rand.Rand, weights []int) int {
	at := r.IntN(total(weights))
	for n, w := range weights {
		if at -= w; at < 0 {
			return n
		}
	}
	return len(weights) - 1
}

// without returns the weights with those of some numbers set to 0.
func without(weights, numbers []int) []int {
	rest := slices.Clone(weights)
	for _, n := range numbers {
		rest[n] = 0
	}
	return rest
}

func total(weights []int) (sum int) {
	for _, w := range weights {
		sum += w
	}
	return sum
}

// ones returns n equal weights.
func ones(n int) []int { return slices.Repeat([]int{1}, n) }
