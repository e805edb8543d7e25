package inside

import "locktorture/nemesis"

// A Message is a line that the harness inside is told after its order.
type Message struct {
	End string `json:"end,omitempty"` // the run ends early and in order, and why

	Strike *nemesis.Step `json:"strike,omitempty"`
	Seen   string        `json:"seen,omitempty"`   // of the strike
	Missed string        `json:"missed,omitempty"` // why the strike found nobody
	Heal   int           `json:"heal,omitempty"`   // the number of a fault that is over
	Go     int           `json:"go,omitempty"`     // the client that may leave its gate
	Over   bool          `json:"over,omitempty"`   // all faults are healed, and none follows
}

// What the harness inside asks the host.
const (
	AskGate  = "gate %d %s" // a client is at its gate before a step; 1: it waits for its Go
	AskBegin = "begin"      // faults can strike from now on
	AskOver  = "over"       // all are to be healed; the message Over follows
	AskHalt  = "halt %d %d" // the driver of a client, its process
	AskGoOn  = "go on %d %d"
)
