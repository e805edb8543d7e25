package search

import (
	"maps"
	"math/rand/v2"
	"slices"

	"locktorture/nemesis/points/schedule"
)

// A strategy controls the draw of a trial's faults.
type strategy struct {
	about   string
	class   bool // draws a class of points and then a point of it, so that rare points are struck as often as frequent ones
	holds   bool // two of three faults hold messages back
	near    bool // most faults come in the first half of the run, and half of the later ones soon after the first
	swarm   bool // each batch has only some kinds of faults
	lease   bool // all faults are around one lease, with times relative to it
	novelty bool // two times of three, it varies a schedule that showed a new state
}

// Names of strategies. Mixed also draws the strategy of each trial; Usual is the default.
const (
	Mixed = "mixed"
	Usual = "lease"
)

func strategies() map[string]strategy {
	return map[string]strategy{
		"uniform": {about: "all points are equally likely"},
		"class":   {about: "all classes of points are equally likely", class: true, near: true},
		"holds":   {about: "like class, but most faults delay messages", class: true, near: true, holds: true},
		Usual:     {about: "all faults strike around one lease; each outlasts it, delays or loses messages, loses data, or moves clocks", lease: true},
		"swarm":   {about: "like class, but each batch of trials has only some kinds of faults", class: true, near: true, swarm: true},
		"novelty": {about: "variants of schedules that showed a new state of the lock", class: true, near: true, novelty: true},
	}
}

// Strategies returns the names of all strategies, with a description of each.
func Strategies() map[string]string {
	all := map[string]string{Mixed: "each trial draws one of these strategies"}
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

// some draws one to three of the kinds.
func some(r *rand.Rand, kinds []schedule.Kind) []schedule.Kind {
	n := min(1+r.IntN(3), len(kinds))
	var out []schedule.Kind
	for _, i := range r.Perm(len(kinds))[:n] {
		out = append(out, kinds[i])
	}
	return out
}
