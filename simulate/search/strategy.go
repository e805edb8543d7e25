package search

import (
	"maps"
	"math/rand/v2"
	"slices"

	"locktorture/nemesis/points/schedule"
)

// A strategy says how the faults of a trial are drawn.
type strategy struct {
	about   string
	class   bool // a class of points first, then a point of it: what is rare is struck as often as what is frequent
	holds   bool // two of three faults hold messages back
	near    bool // most faults come in the first half of the run, and half of the later ones soon after the first
	swarm   bool // each batch has some kinds of faults only
	lease   bool // all faults around one lease, with times relative to the lease
	novelty bool // schedules that showed a new state are changed, two times of three
}

// Names of strategies. Mixed draws the strategy of each trial, too; Usual is the one that is
// taken unless another is named.
const (
	Mixed = "mixed"
	Usual = "lease"
)

func strategies() map[string]strategy {
	return map[string]strategy{
		"uniform": {about: "all points alike"},
		"class":   {about: "kinds of points alike", class: true, near: true},
		"holds":   {about: "kinds of points alike, mostly messages that are held back", class: true, near: true, holds: true},
		Usual:     {about: "faults that matter to one lease: they outlast it, are late, lose something, move clocks", lease: true},
		"swarm":   {about: "kinds of points alike, few kinds of faults in a batch", class: true, near: true, swarm: true},
		"novelty": {about: "what showed a new state of the lock is varied", class: true, near: true, novelty: true},
	}
}

// Strategies are the names of all strategies, with what they are about.
func Strategies() map[string]string {
	all := map[string]string{Mixed: "each trial by another of them"}
	for name, s := range strategies() {
		all[name] = s.about
	}
	return all
}

// strategyOf returns the strategy of one trial.
func strategyOf(name string, r *rand.Rand) strategy {
	all := strategies()
	if name == Mixed {
		name = oneOf(r, slices.Sorted(maps.Keys(all)))
	}
	return all[name]
}

func oneOf[T any](r *rand.Rand, l []T) T { return l[r.IntN(len(l))] }

// some are one to three of the kinds.
func some(r *rand.Rand, kinds []schedule.Kind) []schedule.Kind {
	n := min(1+r.IntN(3), len(kinds))
	var out []schedule.Kind
	for _, i := range r.Perm(len(kinds))[:n] {
		out = append(out, kinds[i])
	}
	return out
}
