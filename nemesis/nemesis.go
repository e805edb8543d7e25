package nemesis

import (
	"context"
	"time"
)

// A Declared is a kind of fault of which only the traits are known. A history needs no more.
type Declared interface {
	// Traits returns the traits of the kind, which never change.
	Traits() Traits
}

// A Nemesis is one kind of fault. It has no state between calls.
type Nemesis interface {
	Declared
	// Supports returns nil, or the reason why the fault is impossible in this world.
	Supports(w *World) error
	// Plan draws one fault: its victims, its strength and its duration. It depends only on the
	// shape of the world, so that a seed gives the same plan on every provisioner. The caller sets
	// N, At and Fault.
	Plan(d *Draw, w *World) Step
	// Inject strikes and returns once the effect was observed. seen describes the effect for the
	// history. heal undoes the fault and returns once that was observed. If err is nil, heal is
	// called exactly once, with a context of its own; it is nil if there is nothing to undo. If err
	// is not nil, Inject has undone every change.
	Inject(ctx context.Context, w *World, s Step) (seen string, heal func(context.Context) error, err error)
}

// A World gives faults access to the servers and clients. Harness and scenarios fill it from their
// cluster and clients.
type World struct {
	TTL     time.Duration
	Clients []Client // Clients[i] is client number i+1
	Nodes   []Node   // in the order of the cluster
	// Quorum is the number of nodes whose agreement the lock needs; 1 for a lock on one node.
	Quorum int
	// Link returns the link from a client (numbered from 1) to a node (index), or nil.
	Link func(client, node int) Link
	// Peer returns the directed link between two nodes (indices), or nil if it cannot be
	// controlled.
	Peer func(from, to int) Link
	// Replication lets Failover strike. It is nil if the topology has no replication.
	Replication Replication
	// Leader returns the index of the current leader. It is nil if no node leads the others.
	Leader func(ctx context.Context) (int, error)
	// Begins is called when a fault is about to cause a disturbance whose effect is observed later:
	// the end of a killed process on a busy machine, a new leader, a promotion. It may be nil.
	Begins func()
}

func (w *World) begins() {
	if w.Begins != nil {
		w.Begins()
	}
}

// A Client is one client of the run, independent of its current process number.
type Client interface {
	// Meet stops the client at its next gate inside a critical section, preferably at a write,
	// until letGo is called, which may be called several times. It returns a description of the
	// place ("between check and write of counter, lease 12"). The error wraps ErrNotStruck if the
	// client reaches no such place within bound.
	Meet(ctx context.Context, bound time.Duration) (where string, letGo func(), err error)
	// MeetWaiting stops the client while it waits for a lock that another client has, and returns a
	// description ("waiting for counter"). The client receives its answer only after letGo was
	// called, which may be called several times. The error wraps ErrNotStruck if the client does
	// not start to wait within bound.
	MeetWaiting(ctx context.Context, bound time.Duration) (where string, letGo func(), err error)
	// Pause stops the client at any place. It returns once the process has stopped. resume
	// continues it. The error wraps ErrNotStruck if the client was dead already.
	Pause(ctx context.Context) (where string, resume func(context.Context) error, err error)
	// Kill ends the client's process at any place, and returns once the process has ended. The
	// client starts its successor itself, under a new process number. The error wraps ErrNotStruck
	// if the client was dead already.
	Kill(ctx context.Context) (where string, err error)
	// HoldWrite keeps back the next store operation of the client after its validity check, while
	// the client process continues. It returns once an operation is held back.
	HoldWrite(ctx context.Context, bound time.Duration) (where string, release func(), err error)
	// Linger keeps the client at work inside its next critical section, before its next check of
	// the validity, until letGo is called, which may be called several times. The error wraps
	// ErrNotStruck if the client reaches no such place within bound.
	Linger(ctx context.Context, bound time.Duration) (where string, letGo func(), err error)
}

// A Node is one server. Its type implements one interface for each capability.
type Node interface{ Name() string }

// A Pauser can be stopped and continued (SIGSTOP, SIGCONT).
type Pauser interface {
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
}

// A Restarter can be killed and started again.
type Restarter interface {
	Kill(ctx context.Context) error // kill -9; returns when the process has ended
	// Start starts it again and returns when it answers. wipe first empties its data directory.
	Start(ctx context.Context, wipe bool) error
}

// A Clocked node has a wall clock that can be moved while the host's clock stays correct.
type Clocked interface {
	// SkewClock makes the node's clock run offset ahead of the host's clock (behind, if negative)
	// and, from then on, rate times as fast; rate 1 is normal. Offset 0 and rate 1 restore it. It
	// returns once the node itself reports the new time.
	SkewClock(ctx context.Context, offset time.Duration, rate float64) error
}

// A Link carries data between two parties and can be disturbed.
type Link interface {
	// Addr returns the address to dial, so that a fault can observe its own effect.
	Addr() string
	// Slow delays every message by latency ± jitter in each direction.
	Slow(latency, jitter time.Duration) error
	// Cut discards all data: connections hang or break, new ones receive nothing.
	Cut() error
	// CutReplies discards the replies and passes the requests.
	CutReplies() error
	// Hold keeps back the data of one connection: the next one that sends in that direction.
	// Other connections pass. Held reports the amount of held data.
	Hold(d Direction) error
	// Held returns the number of bytes that are held back.
	Held() int
	// Heal ends all disturbances. Held data is delivered first, in order. Connections that a cut
	// has broken are closed.
	Heal() error
}

// A Direction is one of the two directions of a link.
type Direction = string

// The directions, seen from the party that opened the connection.
const (
	Requests Direction = "requests"
	Replies  Direction = "replies"
)

// Replication is a primary with replicas behind a virtual endpoint.
type Replication interface {
	// CutReplicas interrupts the replication to all replicas, which do not receive later writes.
	CutReplicas(ctx context.Context) error
	// Failover kills the primary, promotes a replica and redirects the virtual endpoint. It returns
	// once the new primary accepts writes.
	Failover(ctx context.Context) (promoted string, err error)
	// Rejoin heals the links and restarts the old primary as a replica. It returns when the replica
	// is in sync.
	Rejoin(ctx context.Context) error
	// WaitWrite waits until the primary has applied a write that the replicas lack.
	WaitWrite(ctx context.Context) error
}

// A Step is one fault of a schedule, in the form of schedule.jsonl. Durations are nanoseconds.
type Step struct {
	N       int           `json:"n"`                 // number of the step, from 1
	At      time.Duration `json:"at"`                // time since the start of the run
	For     time.Duration `json:"for"`               // time from its observed effect to its heal
	Fault   string        `json:"fault"`             // name of the nemesis in the registry
	Clients []int         `json:"clients,omitempty"` // numbers from 1
	Nodes   []int         `json:"nodes,omitempty"`   // indices from 0
	Holder  int           `json:"holder,omitempty"`  // client that is kept at work during the strike

	Delay     time.Duration `json:"delay,omitempty"`  // delay of each message, or of the replicas before a fail-over
	Jitter    time.Duration `json:"jitter,omitempty"` // largest deviation from Delay
	Offset    time.Duration `json:"offset,omitempty"` // jump of a clock; negative: back
	Rate      float64       `json:"rate,omitempty"`   // rate of a clock; 1: normal
	Wipe      bool          `json:"wipe,omitempty"`   // the servers restart without their data
	Direction Direction     `json:"direction,omitempty"`
	Mode      string        `json:"mode,omitempty"` // a variant, named by the nemesis ("client-node", "node-node", "write", "waiter")
}
