package workloads

import "math/rand/v2"

// A FanIn waits until all clients have done their parts: a workload of latches. In each round every
// client does a part and counts down, and one of them, in turn, collects the parts when all exist.
// The others wait too, so that no client works ahead. The keys are named as in rounds.
type FanIn struct{ rounds }

var _ Workload = FanIn{}

// NewFanIn returns the workload for Config.Clients clients.
func NewFanIn(c Config) FanIn { return FanIn{newRounds(c, "fan-in", max(c.Clients, 1))} }

// Next continues the round of the client.
func (w FanIn) Next(r *rand.Rand, process int) Section {
	return w.next(r, process, func(party int) bool { return party == 0 })
}
