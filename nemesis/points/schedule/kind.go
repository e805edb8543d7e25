package schedule

import (
	"errors"
	"maps"
	"slices"
)

// A Kind is a kind of fault.
type Kind string

// The kinds.
const (
	Pause    Kind = "pause"    // stops the client of the point
	Kill     Kind = "kill"     // kills its process
	Skew     Kind = "skew"     // makes its clock jump, and jump back
	Hold     Kind = "hold"     // delays this and later messages of its connection and direction until its end
	Drop     Kind = "drop"     // discards this message, and breaks the connection
	Reset    Kind = "reset"    // breaks the connection once this message has arrived
	Reorder  Kind = "reorder"  // delays this message until the next one of another connection has passed
	Clock    Kind = "clock"    // makes the wall clocks of servers jump, and jump back
	Stop     Kind = "stop"     // stops servers
	Restart  Kind = "restart"  // kills servers and starts them again
	Fsync    Kind = "fsync"    // keeps servers from finishing an fsync
	EIO      Kind = "eio"      // makes each fsync of servers fail
	Cut      Kind = "cut"      // cuts servers off from the others of their cluster
	Compact  Kind = "compact"  // makes a cluster discard the history of its data
	Revoke   Kind = "revoke"   // ends the lease of the newest key
	Blackout Kind = "blackout" // cuts the power of servers, which lose what is not on their disks, and start again
	Power    Kind = "power"    // ends with a loss of power, in which disks lose all writes since its start
)

// A Need tells whether a parameter is required, allowed or forbidden.
type Need int

// The needs.
const (
	No Need = iota
	May
	Must
)

// A Form lists the parameters of the decisions of a kind.
type Form struct {
	About string
	Gate  bool // allowed at a gate; every kind is allowed at messages
	// At a gate, May for Nodes means Must. At a message, nodes may be left out and then
	// default to the server of the message. At a message of a cluster, only Hold and Reset may
	// leave them out, and then strike the connection of the message.
	Nodes, By, For, Data Need
	// Cluster means that only servers of a cluster can have the fault. Except for those of Etcd,
	// they have it only in virtual time.
	Cluster bool
	// Etcd means that only etcd can have the fault, which is what an operator does to it.
	Etcd bool
	// Asked means that a search draws the fault only if its user names it, since no server
	// promises to survive it, or it is no failure.
	Asked bool
}

// Forms returns the form of every kind.
func Forms() map[Kind]Form {
	return map[Kind]Form{
		Pause:    {About: "the client is paused, as by a garbage collection", Gate: true, For: Must},
		Kill:     {About: "the process of the client is killed, and a new one is started", Gate: true},
		Skew:     {About: "the clock of the client's process jumps, and later jumps back", Gate: true, By: Must, For: Must},
		Hold:     {About: "from this point on, messages sent on the connection arrive only when the time is over", Gate: true, Nodes: May, For: Must},
		Drop:     {About: "the message is lost; the connection is silent for the time, then reset", For: May},
		Reset:    {About: "the connection is reset once the message has arrived", Gate: true, Nodes: May},
		Reorder:  {About: "the message arrives after the next message of another connection, or when the time is over", For: Must},
		Clock:    {About: "the wall clocks of servers jump, and later jump back", Gate: true, Nodes: May, By: Must, For: Must},
		Stop:     {About: "servers are paused", Gate: true, Nodes: May, For: Must},
		Restart:  {About: "servers are killed, stay down for the time, and start again with or without their data", Gate: true, Nodes: May, For: Must, Data: May},
		Cut:      {About: "servers hear nothing from the other servers of their cluster; clients still reach them", Gate: true, Nodes: May, For: Must, Cluster: true},
		EIO:      {About: "each fsync of servers fails; a server that exits because of this is started again at the end", Gate: true, Nodes: May, For: Must, Cluster: true, Asked: true},
		Blackout: {About: "servers lose their power, and the data of the last 250 ms that no fsync wrote; they start again when the time is over", Gate: true, Nodes: May, For: Must, Cluster: true},
		Power:    {About: "the disks of servers keep nothing, not even after fsync, and the power fails at the end", Gate: true, Nodes: May, For: Must, Cluster: true, Asked: true},
		Compact:  {About: "another key changes, and the cluster discards all older revisions", Gate: true, Cluster: true, Etcd: true},
		Revoke:   {About: "an operator ends the lease of the key that was created last", Gate: true, Cluster: true, Etcd: true, Asked: true},
		Fsync:    {About: "no fsync of the servers returns before the end", Gate: true, Nodes: May, For: Must, Cluster: true},
	}
}

// Kinds returns the names of all kinds, in order.
func Kinds() []Kind { return slices.Sorted(maps.Keys(Forms())) }

// OnSingle returns the kinds that single servers can have, in order.
func OnSingle() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return Forms()[k].Cluster })
}

// check checks that a parameter is given if it is required and absent if it is forbidden.
func (n Need) check(what string, given bool) error {
	switch {
	case n == No && given:
		return errors.New("it has no " + what)
	case n == Must && !given:
		return errors.New("it needs " + what)
	}
	return nil
}
