package simulate

import (
	"fmt"
	"io"
	"time"

	"locktorture/cluster"
	"locktorture/history"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/server"
)

// A Config is everything that a run needs.
type Config struct {
	Order   inside.Order     // its Endpoints are filled in by Run
	Program *machine.Program // of the command cmd/guest
	// Driver is the program of the clients, if their lock is one of their own; nil: Program.
	Driver  *machine.Program
	Servers []server.Server // as many as the lock needs; they are reset first

	// Processor is the one on which all of a run is that has native clients: the n-th of those
	// that there are for this process, from 1, or with 0 the one on which it begins.
	Processor int

	// Schedule is what goes wrong. Faults that are left out change no draw of the others.
	Schedule schedule.Schedule
	// Late is how long a client goes on that is stopped or killed at a message, while the message
	// waits: a real process is reached by its signal a while after the message was seen.
	Late time.Duration

	// Record takes each entry of the history, which has its time; nil: nobody does.
	Record func(history.Op) error
	// Tap is told what clients and servers say to each other, with their numbers from 1; nil:
	// nobody is.
	Tap func(client, node int) cluster.Tap
	// Served is told of what a client has sent to a server once that has answered it, and may
	// have the server run a script that changes nothing, whose text it gets; nil: nobody is.
	Served func(client, node int, request []byte, run func(script string) ([]byte, error)) error
	// Clock is told the time of each event, in ns, before it happens; nil: nobody is.
	Clock func(now int64)
	// Trace, if not nil, gets a line for each event.
	Trace io.Writer
}

// A Result is what a run came to, besides its history.
type Result struct {
	Hash    uint64 // of all events with their times and contents
	Virtual time.Duration
	Points  []Point  // of the main phase, in order
	Struck  []Strike // one for each decision of the schedule, in its order
	Played  string   // what the script of the order came to, as JSON

	Events   int64 // of the world
	Messages int64 // of clients to servers
	Steps    int64 // of processes, from one wait to the next
	Calls    int64 // system calls of processes
}

// Sum is the hash of all events and their number: the same for the same run.
func (r *Result) Sum() string { return fmt.Sprintf("%016x %d events", r.Hash, r.Events) }

// A Strike is what a decision of the schedule came to.
type Strike struct {
	Decision schedule.Decision
	At       int64  // ns of virtual time; Never if its point did not come
	Healed   int64  // likewise; Never if there was nothing to heal
	Why      string // it struck nobody although its point came ("c1 was dead already")
}

// Never is the time of what did not happen.
const Never = -1
