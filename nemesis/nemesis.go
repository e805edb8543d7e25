package nemesis

import (
	"context"
	"time"
)

// Declared is what a history needs to know of a kind of fault.
type Declared interface {
	// Traits returns what the kind declares; always the same.
	Traits() Traits
}

// A Nemesis is one kind of fault. It has no state of its own between calls.
type Nemesis interface {
	Declared
	// Supports returns nil, or why this world cannot suffer the fault.
	Supports(w *World) error
	// Plan draws one fault: whom it strikes, how hard and for how long. It
	// uses the shape of the world only, so that a seed gives the same plan
	// on every provisioner. The caller fills in N, At and Fault.
	Plan(d *Draw, w *World) Step
	// Inject strikes and returns once the effect was seen. Seen says what
	// was seen, for the history. Heal undoes it and returns once *that* was seen; it
	// is called exactly once, with a context of its own, if err is nil. It is nil if
	// there is nothing to undo. If err is not nil nothing is left behind.
	Inject(ctx context.Context, w *World, s Step) (seen string, heal func(context.Context) error, err error)
}

// A World is everything that faults can be done to. Harness and scenarios
// fill it from their cluster and clients.
type World struct {
	TTL     time.Duration
	Clients []Client // Clients[i] is client number i+1
	Nodes   []Node   // in the order of the cluster
	// Quorum is the number of nodes whose agreement the lock needs; 1 for a
	// lock on one node.
	Quorum int
	// Link returns the link from a client (1…) to a node (index), nil if
	// there is none.
	Link func(client, node int) Link
	// Peer returns the directed link between two nodes (indices), nil if
	// it cannot be controlled.
	Peer func(from, to int) Link
	// Replication is what failover needs, nil if the topology has none.
	Replication Replication
	// Leader returns the node (index) that leads the others now, nil if they
	// are equals.
	Leader func(ctx context.Context) (int, error)
	// Begins is called when a fault is about to disturb something whose effect is seen later:
	// the end of a killed process on a busy machine, a new leader, a promotion. May be nil.
	Begins func()
}

func (w *World) begins() {
	if w.Begins != nil {
		w.Begins()
	}
}

// A Client is one client of the run, whatever its process number is now.
type Client interface {
	// Meet keeps the client where it next stands at its gate inside a critical section, at a
	// write first, and says where that was ("between check and write of counter, lease 12"),
	// until letGo is called, which may be called more than once. It returns an error that
	// wraps ErrNotStruck if the client comes to no such place within bound.
	Meet(ctx context.Context, bound time.Duration) (where string, letGo func(), err error)
	// MeetWaiting keeps the client where it waits for a lock that another client has, and says
	// so ("waiting for counter"): what it is answered it hears once letGo is called, which may
	// be called more than once. It returns an error that wraps ErrNotStruck if the client does
	// not come to wait within bound.
	MeetWaiting(ctx context.Context, bound time.Duration) (where string, letGo func(), err error)
	// Pause stops the client, wherever it is. It returns once the process was seen stopped.
	// resume lets it go on.
	Pause(ctx context.Context) (where string, resume func(context.Context) error, err error)
	// Kill ends the client's process, wherever it is, and returns once it is gone. Its
	// successor, under a new process number, is the client's own business. It returns an error
	// that wraps ErrNotStruck if the client was dead already.
	Kill(ctx context.Context) (where string, err error)
	// HoldWrite keeps back the next store operation of the client after
	// its validity check, while the client process itself goes on; Release
	// of it lets it go. It returns once an operation is held back.
	HoldWrite(ctx context.Context, bound time.Duration) (where string, release func(), err error)
	// Linger keeps the client at work inside its next critical section,
	// before it asks for its validity again, until letGo is called, which may be called more
	// than once. It returns an error that wraps ErrNotStruck if the client
	// comes to no such place within bound.
	Linger(ctx context.Context, bound time.Duration) (where string, letGo func(), err error)
}

// A Node is one server. Its type implements one interface for each thing
// that can be done to it.
type Node interface{ Name() string }

// A Pauser can be stopped and continued (SIGSTOP, SIGCONT).
type Pauser interface {
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
}

// A Restarter can be killed and started again.
type Restarter interface {
	Kill(ctx context.Context) error // kill -9; returns when the process is gone
	// Start starts it again and returns when it answers; wipe empties its
	// data directory first.
	Start(ctx context.Context, wipe bool) error
}

// A Clocked node has a wall clock that can be moved while the host's stays.
type Clocked interface {
	// SkewClock makes the node's clock run offset ahead (or behind, if
	// negative) and, from then on, rate times as fast; rate 1 is normal.
	// Offset 0 and rate 1 put it right. It returns once the node itself was
	// seen to tell the new time.
	SkewClock(ctx context.Context, offset time.Duration, rate float64) error
}

// A Link carries bytes between two parties and can be disturbed.
type Link interface {
	// Addr is where the party dials, so that a fault can look at its effect.
	Addr() string
	// Slow delays every message by latency ± jitter, in each direction.
	Slow(latency, jitter time.Duration) error
	// Cut loses all data: connections hang or die, new ones get nothing.
	Cut() error
	// CutReplies loses what comes back, and lets through what goes there.
	CutReplies() error
	// Hold keeps back the data of the one connection that sends next in
	// that direction; other connections pass. Held tells when some is kept.
	Hold(d Direction) error
	// Held returns the number of bytes that are being kept back.
	Held() int
	// Heal ends all of these. Held data goes out first, in order; the
	// connections that a cut had broken are closed.
	Heal() error
}

// A Direction is a way along a link.
type Direction = string

// The directions, seen from the party that opened the connection.
const (
	Requests Direction = "requests"
	Replies  Direction = "replies"
)

// Replication is a primary with replicas behind a virtual endpoint.
type Replication interface {
	// CutReplicas stops replication to all replicas (data written from now on is lost to
	// them).
	CutReplicas(ctx context.Context) error
	// Failover kills the primary, promotes a replica and moves the virtual
	// endpoint; it returns once the new primary accepts writes.
	Failover(ctx context.Context) (promoted string, err error)
	// Rejoin heals the links and brings the old primary back as a replica, in sync.
	Rejoin(ctx context.Context) error
	// WaitWrite returns once the primary has applied a write that the replicas have not got.
	WaitWrite(ctx context.Context) error
}

// A Step is one fault of a schedule, as it stands in schedule.jsonl.
// Durations are nanoseconds.
type Step struct {
	N       int           `json:"n"`                 // from 1
	At      time.Duration `json:"at"`                // since the start of the run
	For     time.Duration `json:"for"`               // from its effect until it is healed
	Fault   string        `json:"fault"`             // the name of the nemesis in the registry
	Clients []int         `json:"clients,omitempty"` // numbers from 1
	Nodes   []int         `json:"nodes,omitempty"`   // indices from 0
	Holder  int           `json:"holder,omitempty"`  // the client that is kept at work while it strikes

	Delay     time.Duration `json:"delay,omitempty"`  // of a message, or of the replicas before a fail-over
	Jitter    time.Duration `json:"jitter,omitempty"` // around Delay
	Offset    time.Duration `json:"offset,omitempty"` // of a clock
	Rate      float64       `json:"rate,omitempty"`   // of a clock
	Wipe      bool          `json:"wipe,omitempty"`   // restart without its data
	Direction Direction     `json:"direction,omitempty"`
	Mode      string        `json:"mode,omitempty"` // a variant, named by the nemesis ("client-node", "node-node", "write", "waiter")
}
