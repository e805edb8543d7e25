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

// What the harness inside asks the host while it plays a script. A server is told by its
// number, a link by those of its client and its server.
const (
	AskSkew     = "skew %d %d %g"    // the clock of a server: ns ahead of all others from now on, and its rate
	AskKill     = "kill %d"          // a server
	AskStart    = "start %d %t"      // a killed server, without its data or with them
	AskSlow     = "slow %d %d %d"    // a link, by ns each way
	AskCut      = "cut %d %d"        // all that is sent is lost
	AskHold     = "hold %d %d %s %d" // what the connection sends that sends next in a direction, but the first so many messages
	AskHeld     = "held %d %d"       // how many bytes are held
	AskAnswered = "answered %d %d"   // over how many connections something has come back
	AskLetGo    = "let go %d %d %s"  // ends a hold in a direction
	AskHeal     = "heal %d %d"       // ends all that was done to a link; connections of a cut one break
	AskReset    = "reset %d %d"      // breaks the connections of a link
	AskOf       = "played %s"        // what the script came to, as JSON
)

// The directions of a link, as the client sees it.
const (
	Requests = "requests"
	Replies  = "replies"
)
