package wire

import "slices"

// An Effect is what becomes of the victim of a fault. Faults declare it, histories keep it,
// and verdicts rest on it.
type Effect string

// The effects.
const (
	Stopped Effect = "stopped" // the process stands still and goes on later
	Killed  Effect = "killed"  // the client's process is gone; a moment, nothing is in place afterwards
	Held    Effect = "held"    // messages are kept back and arrive later
	Slowed  Effect = "slowed"  // messages take longer
	Cut     Effect = "cut"     // messages are lost
	Skewed  Effect = "skewed"  // a clock tells another time
	Down    Effect = "down"    // a server is gone, or no longer does its part
	Demoted Effect = "demoted" // another server has taken its place
)

// Known reports whether histories know the effect; "" is the effect of a fault that declares
// none.
func (e Effect) Known() bool {
	return slices.Contains([]Effect{"", Stopped, Killed, Held, Slowed, Cut, Skewed, Down, Demoted}, e)
}
