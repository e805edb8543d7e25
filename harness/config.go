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
	Duration time.Duration // of the main phase; a quiet tail follows in which locks must become free
	TTL      time.Duration
	Seed     uint64

	Workload workloads.Workload
	Resource workloads.Resource
	Fencing  string
	// Careful clients ask their lease before each store operation, and give
	// up when it is over, as a well-written program does.
	Careful bool

	// Arrivals say when sections begin; the zero value is a closed loop.
	Arrivals Arrivals
	// Sections ends the work of a client after so many of them; the run ends
	// when all have done theirs, or after Duration. 0: no such end.
	Sections int

	// Warm lets each client take and give back a lock of its own before the run, which is not
	// recorded: its connections are then there, and a thousand clients do not make theirs
	// at the same time.
	Warm bool

	// AcquireTimeout is how long a client waits for a lock before it gives
	// up; zero means twice the TTL.
	AcquireTimeout time.Duration
	// FreeWithin is the time after which a lock whose holder is gone must be obtainable again.
	FreeWithin time.Duration
	// Tail is how long the quiet tail lasts while a lock is not granted again, and how long it
	// goes on after an acquire of unknown outcome, up to LongestTail. At most ten minutes;
	// zero means FreeWithin, a quarter of it and a second.
	Tail, LongestTail time.Duration

	Traits locks.Traits
	// Open opens the lock of a client. process is the number under which the client
	// now acts. A Locker that is also a Process can be stopped and killed.
	Open func(ctx context.Context, client, process int) (locks.Locker, error)
	// Prober looks at the servers during the run; nil if they cannot be asked.
	Prober locks.Prober

	World *nemesis.World // its Clients are filled in by New
	Kinds map[string]nemesis.Nemesis

	// Outside injects the faults of the main phase instead of a schedule of this harness. The
	// phase ends when Outside returns, which must heal all faults first, at the latest after
	// the end of ctx. May be nil.
	Outside func(ctx context.Context, f *Faults) error
	// AtGate is called in the goroutine of a client that comes to the gate before a step: begin,
	// work, read, write or release. The client goes on when AtGate returns. May be nil.
	AtGate func(client int, step string)

	Record   func(history.Op) (history.Op, error) // stamps and writes one entry
	Now      func() int64                         // the clock of the history
	NoStalls bool                                 // nothing can be kept from running on that clock: no heartbeat looks for it
	Progress func(Progress)                       // called about four times a second; may be nil
}

// A Process is a Locker that runs in an operating-system process of its own.
type Process interface {
	Pause(ctx context.Context) error  // returns when it was seen stopped
	Resume(ctx context.Context) error // returns when it was seen to run
	Kill(ctx context.Context) error   // returns when it is gone
}

// Progress is what a run looks like from outside.
type Progress struct {
	Elapsed time.Duration // since all clients are ready
	Tail    bool          // the quiet phase after the last fault
	Ops     int64
	Grants  int64
	Refused int64    // operations refused by a fenced store
	InPlace []string // faults in place, "pause c2"
	Struck  int
}
