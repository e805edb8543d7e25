package inside

import "locktorture/nemesis"

// A Message is a line that the host sends to the harness after the order.
type Message struct {
	End string `json:"end,omitempty"` // the reason for ending the run early

	Strike *nemesis.Step `json:"strike,omitempty"`
	Seen   string        `json:"seen,omitempty"`   // observed effect of the strike
	Missed string        `json:"missed,omitempty"` // reason why the strike had no target
	Heal   int           `json:"heal,omitempty"`   // number of a fault that has ended
	Go     int           `json:"go,omitempty"`     // number of the client that may leave its gate
	Over   bool          `json:"over,omitempty"`   // all faults are healed, and no fault follows
}

// Requests of the harness to the host.
const (
	AskGate  = "gate %d %s"  // a client is at its gate before a step; the answer 1 makes it wait for its Go
	AskBegin = "begin"       // faults can strike from now on
	AskOver  = "over"        // heal all faults; the message Over follows
	AskHalt  = "halt %d %d"  // stop a driver: its client, its process
	AskGoOn  = "go on %d %d" // let a stopped driver continue: its client, its process
)

// Requests of the harness while it plays a script. A server is identified by its number, a link by
// the numbers of its client and its server.
const (
	AskSkew     = "skew %d %d %g"    // set a server's clock: the ns by which it is ahead from now on, and its rate
	AskKill     = "kill %d"          // kill a server
	AskStart    = "start %d %t"      // start a killed server, with true: without its data
	AskSlow     = "slow %d %d %d"    // add ns of latency in each direction of a link
	AskCut      = "cut %d %d"        // lose all messages of a link
	AskHold     = "hold %d %d %s %d" // hold back one direction of the connection that sends next, after so many messages
	AskHeld     = "held %d %d"       // return the number of bytes held back on a link
	AskAnswered = "answered %d %d"   // return the number of connections of a link that have received a reply
	AskLetGo    = "let go %d %d %s"  // end a hold in one direction
	AskHeal     = "heal %d %d"       // end all disturbances of a link; if it was cut, its connections break
	AskReset    = "reset %d %d"      // break the connections of a link
	AskOf       = "played %s"        // report the result of the script, as JSON
)

// The directions of a link, as the client sees them.
const (
	Requests = "requests"
	Replies  = "replies"
)
