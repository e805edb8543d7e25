package nemesis

import (
	"time"

	"locktorture/internal/wire"
)

// Traits are the declared properties of a fault. The schedule, the harness, the checker and reports
// treat faults by their traits and never by name. The harness writes the traits on which a verdict
// depends into the history.
type Traits struct {
	Name   string // name in flags, schedules and histories: lower case, words joined by "-"
	About  string // description in one line
	Effect Effect // state of the victim during the fault
	// PartOf names the larger fault of which this fault is a part. A part is injected only if
	// the user names it, because "all" contains the larger fault.
	PartOf string

	// StrikesClients places the fault in the lane of clients. It can strike at the same time as the
	// faults of servers and networks, but never on the same target.
	StrikesClients bool
	// NeedsProcess requires that each client has a process of its own.
	NeedsProcess bool
	// NeedsReplicas requires servers with replicas.
	NeedsReplicas bool
	// MovesClientClock reports that the fault moves the clock that a client's lock reads. For a
	// library that reads the host's clock, this is the wall clock of its process, if that can be
	// moved.
	MovesClientClock bool

	// TakesLocks reports that a server may drop a lock which its holder still believes to have, or
	// may keep a copy of a lock that was released. The checker does not blame the lock for the
	// consequences.
	TakesLocks bool
	// LeavesCopies reports that servers outside the majority may keep a lock which the others have
	// released.
	LeavesCopies bool
	// UpsetsAll reports that the fault strikes one client and may disturb others as well.
	UpsetsAll bool

	// SeenLate is the longest time from the strike until its effect is observed.
	SeenLate time.Duration
	// Ahead is the longest time by which the fault may take locks away before its effect is
	// observed.
	Ahead time.Duration
}

// An Effect names the state of a fault's victim (wire.Effect).
type Effect = wire.Effect

// The effects.
const (
	Stopped, Killed = wire.Stopped, wire.Killed
	Held, Slowed    = wire.Held, wire.Slowed
	Cut, Skewed     = wire.Cut, wire.Skewed
	Down, Demoted   = wire.Down, wire.Demoted
)

// seenLate bounds the time in which the end of a process, a new time or a new leader is observed.
const seenLate = 500 * time.Millisecond

// Named returns a table of faults by their declared names.
func Named(list ...Nemesis) Kinds {
	kinds := make(Kinds, len(list))
	for _, n := range list {
		kinds[n.Traits().Name] = n
	}
	return kinds
}
