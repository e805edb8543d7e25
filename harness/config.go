package harness

import (
	"context"
	"math/rand/v2"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// The values of Config.Fencing.
const (
	FencingOff  = "off"
	FencingOn   = "on"
	FencingBoth = "both" // each section draws whether it uses the plain or the fenced store
)

// A Config describes a run.
type Config struct {
	Clients  int
	Duration time.Duration // length of the phase with faults; a quiet tail follows, in which locks must become free
	TTL      time.Duration
	Seed     uint64

	Workload workloads.Workload
	Resource workloads.Resource
	Fencing  string
	// Careful makes clients check their lease before each store operation and abandon the section
	// if the lease is over, as a well-written program does.
	Careful bool

	// Arrivals say when sections begin; the zero value is a closed loop.
	Arrivals Arrivals
	// Sections is the number of sections that each client does; 0 means no limit. The run ends when
	// all clients are done, or after Duration.
	Sections int

	// Warm makes each client take and release a lock of its own before the run, unrecorded. All
	// connections are then open, and a thousand clients do not open theirs at the same moment.
	Warm bool

	// AcquireTimeout bounds an acquire; 0 means twice the TTL.
	AcquireTimeout time.Duration
	// FreeWithin is the time after which the lock of a dead holder must be free again.
	FreeWithin time.Duration
	// Tail is the length of the quiet tail if some lock is not granted again; 0 means 1.25 times
	// FreeWithin plus a second. LongestTail limits a tail that acquires of unknown outcome prolong.
	// Both are at most ten minutes.
	Tail, LongestTail time.Duration

	Traits locks.Traits
	// Open opens the lock of a client; process is the client's current process number. A Locker
	// that is also a Process can be paused and killed.
	Open func(ctx context.Context, client, process int) (locks.Locker, error)
	// Prober inspects the servers during the run; nil if the servers cannot be queried.
	Prober locks.Prober

	// Theirs are clients that do work of their own, such as the replicas of a program. If set, the
	// harness makes no clients: faults strike these, and Note records their entries.
	Theirs []nemesis.Client
	// Rest, if not nil, runs after the last fault in place of the tail.
	Rest func(ctx context.Context)

	// World gives faults access to the servers. The run replaces its Clients with Theirs or with
	// clients of its own (see Faults.Clients), so that only their number matters before.
	World *nemesis.World
	Kinds map[string]nemesis.Nemesis

	// Outside, if not nil, injects faults in the main phase. The phase ends when Outside returns.
	// Outside must heal all its faults before it returns, and return soon after ctx ends.
	Outside func(ctx context.Context, f *Faults) error
	// AtGate, if not nil, is called in the client's goroutine before each step: begin, work, read,
	// write or release. The client goes on when AtGate returns.
	AtGate func(client int, step string)

	Record   func(history.Op) (history.Op, error) // stamps and writes one entry
	Now      func() int64                         // the clock of the history, in ns
	NoStalls bool                                 // no heartbeat, because a run in virtual time cannot stall
	Progress func(Progress)                       // called about four times a second; may be nil
}

// fenced draws whether the next section works on the fenced store.
func (cfg *Config) fenced(rng *rand.Rand) bool {
	return cfg.Fencing == FencingOn || cfg.Fencing == FencingBoth && rng.IntN(2) == 0
}

// A Process is a Locker that runs in an operating-system process of its own.
type Process interface {
	Pause(ctx context.Context) error  // returns once the process is seen stopped
	Resume(ctx context.Context) error // returns once the process is seen running
	Kill(ctx context.Context) error   // returns once the process is gone
}

// A Progress is a snapshot of a run.
type Progress struct {
	Elapsed time.Duration // time since all clients were ready
	Tail    bool          // the quiet phase after the last fault has begun
	Ops     int64
	Grants  int64
	Refused int64    // operations that a fenced store refused
	InPlace []string // names of the faults in place, such as "pause"
	Struck  int
}
