package workloads

import "math/rand/v2"

// gatekeepers is the number of clients that prepare a start.
const gatekeepers = 2

// A StartGate starts all clients together after a preparation: a workload of latches. In each round
// two clients, in turn, prepare a part and count down, or one client if a latch does not count. All
// wait, and then check that every part exists. The keys are named as in rounds.
type StartGate struct{ rounds }

var _ Workload = StartGate{}

// NewStartGate returns the workload for Config.Clients clients.
func NewStartGate(c Config) StartGate { return StartGate{newRounds(c, "start-gate", gatekeepers)} }

// Next continues the round of the client.
func (w StartGate) Next(r *rand.Rand, process int) Section {
	return w.next(r, process, func(int) bool { return true })
}
