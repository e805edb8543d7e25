package nemesis

import (
	"time"

	"locktorture/internal/wire"
)

// Traits are what a fault declares of itself, as data. Whoever must treat one fault
// differently from another – the schedule, the harness, the checker, a report – goes by them
// and never by a name. The harness writes the traits that a verdict rests on into the history.
type Traits struct {
	Name   string // in flags, schedules and histories: lower case, words joined by "-"
	About  string // what it does, in one line
	Effect Effect // what becomes of its victim

	// StrikesClients puts it into the lane of clients: it strikes at the same time as the
	// faults of servers and networks, though never on the same target.
	StrikesClients bool
	// NeedsProcess: each client must have a process of its own.
	NeedsProcess bool
	// NeedsReplicas: only servers with replicas can suffer it.
	NeedsReplicas bool
	// MovesClientClock: it moves the clock that a client's lock takes the time from. Of a
	// library that asks the host that is the wall clock of its process, where it can be moved.
	MovesClientClock bool

	// TakesLocks: a server may give up a lock that its holder still has, or leave a copy of
	// one that was given up. What a lock does meanwhile is not held against it.
	TakesLocks bool
	// LeavesCopies: servers that no longer count may go on keeping what the others gave up.
	LeavesCopies bool
	// UpsetsAll: it strikes one client, and others may suffer for it.
	UpsetsAll bool

	// SeenLate is how long after it struck its effect may be seen.
	SeenLate time.Duration
	// Ahead is for how long before its effect is seen it may have taken locks away already.
	Ahead time.Duration
}

// An Effect is what becomes of the victim of a fault (wire.Effect).
type Effect = wire.Effect

// The effects.
const (
	Stopped, Killed = wire.Stopped, wire.Killed
	Held, Slowed    = wire.Held, wire.Slowed
	Cut, Skewed     = wire.Cut, wire.Skewed
	Down, Demoted   = wire.Down, wire.Demoted
)

// seenLate is how long the end of a process, a new time and a new leader take to be seen.
const seenLate = 500 * time.Millisecond

// Named makes a table of faults by the names that they declare.
func Named(list ...Nemesis) Kinds {
	kinds := make(Kinds, len(list))
	for _, n := range list {
		kinds[n.Traits().Name] = n
	}
	return kinds
}

// All are the faults of this package, as they are by default.
func All() Kinds {
	return Named(
		ClientClock{},
		Clock{},
		Failover{},
		Hold{},
		KillClient{},
		Latency{},
		Leader{},
		Partition{},
		Pause{},
		Restart{},
	)
}
