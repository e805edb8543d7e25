package workloads

import "math/rand/v2"

// gatekeepers is how many clients prepare a start.
const gatekeepers = 2

// A StartGate lets all start together, once everything is prepared: a workload of latches. In
// each round two clients, in turn, prepare something and count down, one where a latch cannot
// count; all wait, and all look whether everything is there. The keys are named as in rounds.
type StartGate struct{ rounds }

var _ Workload = StartGate{}

// NewStartGate returns the workload for Config.Clients clients.
func NewStartGate(c Config) StartGate { return StartGate{newRounds(c, "start-gate", gatekeepers)} }

// Next goes on with the round of the client.
func (w StartGate) Next(r *rand.Rand, process int) Section {
	return w.next(r, process, func(int) bool { return true })
}
