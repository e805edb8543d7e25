package harness

import (
	"context"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// The ways to use a fenced store.
const (
	FencingOff  = "off"
	FencingOn   = "on"
	FencingBoth = "both" // each section draws whether it works on a plain or a fenced store
)

// A Config is everything that a run needs.
type Config struct {
	Clients  int
	Duration time.Duration // length of the main phase; a quiet tail follows, in which locks must become free
	TTL      time.Duration
	Seed     uint64

	Workload workloads.Workload
	Resource workloads.Resource
	Fencing  string
	// Careful makes clients ask their lease before each store operation, and give up if it is
	// over, as a well-written program does.
	Careful bool

	// Arrivals say when sections begin; the zero value is a closed loop.
	Arrivals Arrivals
	// Sections is the number of sections after which a client stops. The run ends when all
	// clients have stopped, or after Duration. 0: no limit.
	Sections int

	// Warm makes each client take and release a lock of its own before the run, unrecorded. All
	// connections then exist, and a thousand clients do not open theirs at the same moment.
	Warm bool

	// AcquireTimeout bounds an acquire; 0 means twice the TTL.
	AcquireTimeout time.Duration
	// FreeWithin is the time after which the lock of a vanished holder must be free again.
	FreeWithin time.Duration
	// Tail is the length of the quiet tail if a lock is not granted again. LongestTail bounds
	// the tail when acquires of unknown outcome prolong it; it is at most ten minutes. Zero
	// Tail means FreeWithin, a quarter of it, and a second.
	Tail, LongestTail time.Duration

	Traits locks.Traits
	// Open opens the lock of a client; process is the client's present process number. A Locker
	// that is also a Process can be paused and killed.
	Open func(ctx context.Context, client, process int) (locks.Locker, error)
	// Prober looks at the servers during the run; nil if the servers cannot be asked.
	Prober locks.Prober

	// Theirs are clients that do work of their own, such as the replicas of a program, in the
	// place of those that the harness makes. The run strikes them, and records what Note is given.
	Theirs []nemesis.Client
	// Rest, if not nil, is the phase after the last fault, in the place of the tail.
	Rest func(ctx context.Context)

	World *nemesis.World // its Clients are filled in by New
	Kinds map[string]nemesis.Nemesis

	// Outside, if not nil, injects the faults of the main phase instead of a schedule. The
	// phase ends when Outside returns. It must first heal all its faults, and it must return
	// soon after the end of ctx.
	Outside func(ctx context.Context, f *Faults) error
	// AtGate, if not nil, is called in the client's goroutine when the client comes to its gate
	// before a step: begin, work, read, write or release. The client goes on when AtGate
	// returns.
	AtGate func(client int, step string)

	Record   func(history.Op) (history.Op, error) // stamps and writes one entry
	Now      func() int64                         // the clock of the history
	NoStalls bool                                 // no heartbeat, because nothing can stall a run on that clock (virtual time)
	Progress func(Progress)                       // called about four times a second; may be nil
}

// A Process is a Locker that runs in an operating-system process of its own.
type Process interface {
	Pause(ctx context.Context) error  // returns once it is seen to be stopped
	Resume(ctx context.Context) error // returns once it is seen to run
	Kill(ctx context.Context) error   // returns once it is gone
}

// A Progress is a snapshot of a run.
type Progress struct {
	Elapsed time.Duration // since all clients were ready
	Tail    bool          // the quiet phase after the last fault has begun
	Ops     int64
	Grants  int64
	Refused int64    // operations refused by a fenced store
	InPlace []string // faults in place, "pause c2"
	Struck  int
}
