// Package faults maps the faults of a schedule to the faults of the harness and the history. The
// simulator and a run on real servers use different means to strike, and describe their faults with
// the texts of this package.
package faults

import (
	"fmt"
	"strings"

	"locktorture/nemesis"
	"locktorture/nemesis/points/schedule"
)

// A Fault is a kind of fault with its declared traits.
type Fault nemesis.Traits

// Traits returns the traits of the fault.
func (f Fault) Traits() nemesis.Traits { return nemesis.Traits(f) }

// The names of faults that occur only in a schedule of points. The others are in package nemesis.
const (
	Drop     = "drop"
	Reset    = "reset"
	Fsync    = "fsync"
	CutOff   = "cut"
	Power    = "power"
	Blackout = "blackout"
	EIO      = "eio"

	Compact = "compact"
	Revoke  = "revoke"
)

// All returns the kinds of faults that can strike at a point. A lock on Redis does not depend on a
// connection, so a broken connection takes no lock away.
func All() []Fault {
	return []Fault{
		Fault(nemesis.Pause{}.Traits()), Fault(nemesis.KillClient{}.Traits()), Fault(nemesis.ClientClock{}.Traits()),
		Fault(nemesis.Hold{}.Traits()), Fault(nemesis.Clock{}.Traits()), Fault(nemesis.Restart{}.Traits()),
		{Name: Drop, About: "a message is lost, together with its connection", Effect: nemesis.Cut, StrikesClients: true},
		{Name: Reset, About: "a connection is reset after one of its messages", Effect: nemesis.Cut, StrikesClients: true},
		{Name: Fsync, About: "a server waits for its disk"}, // no Effect: its messages are not slower
		{Name: CutOff, About: "servers of a cluster are cut off from the others", Effect: nemesis.Cut},
		{Name: EIO, About: "each fsync of servers fails", Effect: nemesis.Down},
		{Name: Compact, About: "a cluster discards the history of its data"},
		{Name: Revoke, About: "an operator ends the lease of the newest key", TakesLocks: true},
		{Name: Blackout, About: "servers lose their power, and the data that no fsync has written", Effect: nemesis.Down, TakesLocks: true, LeavesCopies: true},
		{Name: Power, About: "servers lose their power, and the data that their disks only pretended to keep", TakesLocks: true, LeavesCopies: true},
	}
}

// Step returns a decision as a step of the harness. number is the fault's number in the history,
// from 1.
func Step(d schedule.Decision, number int) nemesis.Step {
	s := nemesis.Step{N: number, For: d.For}
	switch d.Kind {
	case schedule.Pause, schedule.Stop:
		s.Fault = nemesis.Pause{}.Traits().Name
	case schedule.Kill:
		s.Fault = nemesis.KillClient{}.Traits().Name
	case schedule.Skew:
		s.Fault, s.Offset = nemesis.ClientClock{}.Traits().Name, d.By
	case schedule.Hold, schedule.Reorder:
		s.Fault = nemesis.Hold{}.Traits().Name
	case schedule.Drop:
		s.Fault = Drop
	case schedule.Reset:
		s.Fault = Reset
	case schedule.Clock:
		s.Fault, s.Offset = nemesis.Clock{}.Traits().Name, d.By
	case schedule.Restart:
		s.Fault, s.Wipe = nemesis.Restart{}.Traits().Name, d.Lost
	case schedule.Fsync:
		s.Fault = Fsync
	case schedule.Cut:
		s.Fault = CutOff
	case schedule.Power:
		s.Fault = Power
	case schedule.Blackout:
		s.Fault = Blackout
	case schedule.EIO:
		s.Fault = EIO
	case schedule.Compact:
		s.Fault = Compact
	case schedule.Revoke:
		s.Fault = Revoke
	}
	if !strikesNodes(d.Kind) {
		s.Clients = []int{d.At.Client}
	}
	for _, n := range Nodes(d) {
		s.Nodes = append(s.Nodes, n-1)
	}
	return s
}

func strikesNodes(k schedule.Kind) bool {
	switch k {
	case schedule.Clock, schedule.Stop, schedule.Restart, schedule.Fsync, schedule.Cut, schedule.Blackout, schedule.Power, schedule.EIO, schedule.Compact, schedule.Revoke:
		return true
	}
	return false
}

// Nodes returns the servers, numbered from 1, that a decision strikes, or whose connections it
// strikes. It returns none for a message to or from a cluster whose server is not known yet.
func Nodes(d schedule.Decision) []int {
	if d.At.Node > 0 && (d.Kind == schedule.Drop || d.Kind == schedule.Reorder) {
		return []int{d.At.Node}
	}
	return d.Strikes()
}

// Seen describes the effect of a decision, with the texts of the faults in every run. name returns
// the name of a server, numbered from 1.
func Seen(d schedule.Decision, name func(node int) string) string {
	var names []string
	for _, n := range Nodes(d) {
		names = append(names, name(n))
	}
	servers, c := strings.Join(names, ", "), fmt.Sprintf("c%d", d.At.Client)
	what, data := "requests", "kept"
	if d.At.Kind == schedule.Reply {
		what = "replies"
	}
	if d.Lost {
		data = "emptied"
	}
	return map[schedule.Kind]string{
		schedule.Pause:    "stopped " + c,
		schedule.Kill:     "killed " + c,
		schedule.Skew:     fmt.Sprintf("clock of %s tells %+.3f s", c, d.By.Seconds()),
		schedule.Hold:     fmt.Sprintf("held back %s of %s and %s", what, c, servers),
		schedule.Drop:     fmt.Sprintf("lost a message of %s and %s, and their connection", c, servers),
		schedule.Reset:    fmt.Sprintf("reset the connection of %s and %s", c, servers),
		schedule.Reorder:  fmt.Sprintf("held back a message of %s and %s until another passes", c, servers),
		schedule.Clock:    fmt.Sprintf("clocks of %s tell %+.3f s", servers, d.By.Seconds()),
		schedule.Stop:     servers + " stopped",
		schedule.Cut:      servers + " cut off from the other servers",
		schedule.Fsync:    "no fsync returns on " + servers,
		schedule.EIO:      "each fsync fails on " + servers,
		schedule.Compact:  "the servers discarded their history",
		schedule.Revoke:   "the lease of the newest key was ended on the servers",
		schedule.Blackout: servers + " without power, data without fsync lost",
		schedule.Power:    "disks of " + servers + " keep nothing until their power fails",
		schedule.Restart:  fmt.Sprintf("%s killed, data %s", servers, data),
	}[d.Kind] + " at " + d.At.String()
}
