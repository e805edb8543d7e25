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

// A Config describes a simulated run.
type Config struct {
	Order   inside.Order     // Run sets its Endpoints
	Program *machine.Program // program of the harness: the command cmd/guest
	// Driver is the program of the clients if they bring a lock of their own; nil: Program.
	Driver  *machine.Program
	Servers []server.Server // servers, as many as the lock needs; Run resets them first
	// Cluster describes the servers if they are guests like the clients; nil: they are in
	// Servers.
	Cluster *Cluster

	// Processor is the processor on which a run with native clients stays. It counts the
	// processors that this process may use, from 1. 0 selects the processor on which the run
	// begins.
	Processor int

	// Schedule holds the planned faults. Leaving a fault out changes no random draw of the others.
	Schedule schedule.Schedule
	// Late is the time that a client runs on after the message at which it is stopped or killed,
	// while the message waits. A signal also reaches a real process a while after the message was
	// seen.
	Late time.Duration

	// Record, if not nil, receives each entry of the history, with its time.
	Record func(history.Op) error
	// Tap, if not nil, returns the observer of the messages between a client and a server. Both are
	// numbered from 1.
	Tap func(client, node int) cluster.Tap
	// Served, if not nil, is called with each request that a server has answered. run executes a
	// script on that server, which must not change its data, and returns the reply.
	Served func(client, node int, request []byte, run func(script string) ([]byte, error)) error
	// Clock, if not nil, is called with the time of each event before it happens, in ns.
	Clock func(now int64)
	// Trace, if not nil, receives a line for each event.
	Trace io.Writer
}

// A Result describes a completed run, besides its history.
type Result struct {
	Hash    uint64 // hash of all events with their times and contents
	Virtual time.Duration
	Points  []Point  // points of the main phase, in order
	Struck  []Strike // one for each decision of the schedule, in its order
	Ended   []End    // servers that ended by themselves after a fault of their disks
	Played  string   // result of the order's script, as JSON; "" without a script

	Events   int64 // number of events in the world
	Messages int64 // number of messages from clients to servers
	Steps    int64 // number of steps of processes, each from one wait to the next
	Calls    int64 // number of system calls of processes
}

// Sum returns the hash and the number of all events, which are the same for every play of the run.
func (r *Result) Sum() string { return fmt.Sprintf("%016x %d events", r.Hash, r.Events) }

// A Strike describes the outcome of one decision of the schedule.
type Strike struct {
	Decision schedule.Decision
	At       int64  // ns of virtual time; Never if its point was not reached
	Healed   int64  // ns of virtual time; Never if there was nothing to heal
	Why      string // reason for having no target at the point ("c1 was dead already"); "" if it struck
}

// An End is the end of a server by itself.
type End struct {
	Server string
	At     int64  // ns of virtual time
	Why    string // its panic in one line, or all that it wrote to standard error if it did not panic
}

// Never is the time of an event that did not happen.
const Never = -1
