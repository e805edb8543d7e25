package nemesis

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// A Draw is what the faults of one schedule are drawn from. Kinds – a mode, how many servers,
// which of them, with or without their data – come out of bags: each as often as its weight
// says before the bag is filled again, so that a run does not go without the one kind that
// matters. Times, and clients, who are alike, are drawn with its Rand. Equal Rands give equal
// draws.
type Draw struct {
	*rand.Rand
	fault string
	bags  map[bag][]int // how often each number is left
	leads map[toss]int  // heads less tails
	loose bool          // draw beside the bags
}

// A bag is what a fault draws one of its properties from.
type bag struct{ fault, property string }

// A toss is what a coin says of one node.
type toss struct {
	fault, property string
	node            int
}

// NewDraw returns a Draw whose bags are full.
func NewDraw(r *rand.Rand) *Draw { return &Draw{Rand: r, bags: map[bag][]int{}, leads: map[toss]int{}} }

// step draws a step of a fault. The bags are as before unless it is taken. A loose step is
// drawn beside them: what is left in them may fit nowhere now, and stays for later.
func (d *Draw) step(fault string, n Nemesis, w *World, loose bool) (s Step, take func()) {
	bags, leads := d.bags, d.leads
	d.fault, d.loose, d.bags, d.leads = fault, loose, maps.Clone(bags), maps.Clone(leads)
	s = n.Plan(d, w)
	newBags, newLeads := d.bags, d.leads
	d.bags, d.leads = bags, leads
	return s, func() { d.bags, d.leads = newBags, newLeads }
}

// one draws a number below len(weights), which are the same whenever the property is drawn.
func (d *Draw) one(property string, weights ...int) int {
	return d.distinct(property, 1, weights)[0]
}

// of draws one of some words, in which a word may stand more than once.
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

// coin tosses a coin for some nodes together, so that each of them sees heads as often as
// tails, or nearly: servers may be unlike, and what happens to one of them need never have
// happened to another.
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

// weighted draws a number as often as its weight says.
func weighted(r *rand.Rand, weights []int) int {
	at := r.IntN(total(weights))
	for n, w := range weights {
		if at -= w; at < 0 {
			return n
		}
	}
	return len(weights) - 1
}

// without is the weights with those of some numbers set to 0.
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

// ones are n equal weights.
func ones(n int) []int { return slices.Repeat([]int{1}, n) }
