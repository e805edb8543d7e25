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
	Pause   Kind = "pause"   // the client of the point stands still
	Kill    Kind = "kill"    // its process is killed
	Skew    Kind = "skew"    // its clock jumps, and jumps back
	Hold    Kind = "hold"    // what is sent on its connection from here on arrives only afterwards
	Drop    Kind = "drop"    // this message is lost, and the connection with it
	Reset   Kind = "reset"   // the connection breaks once this message has arrived
	Reorder Kind = "reorder" // this message arrives after the next one of another connection
	Clock   Kind = "clock"   // the wall clocks of servers jump, and jump back
	Stop    Kind = "stop"    // servers stand still
	Restart Kind = "restart" // servers are killed and started again
)

// A Need says whether something can be given.
type Need int

// The needs.
const (
	No Need = iota
	May
	Must
)

// A Form says what a decision of a kind can be given.
type Form struct {
	About string
	Gate  bool // it can be at a gate; all can be at messages
	// Nodes: at a gate they must be given where they may be; at a message they default to its
	// server.
	Nodes, By, For, Data Need
}

// Forms returns the form of every kind.
func Forms() map[Kind]Form {
	return map[Kind]Form{
		Pause:   {About: "the client stands still, as in a garbage collection", Gate: true, For: Must},
		Kill:    {About: "the process of the client is killed, and another started", Gate: true},
		Skew:    {About: "the clock of the client's process jumps, and jumps back", Gate: true, By: Must, For: Must},
		Hold:    {About: "what is sent on the connection from here on arrives only afterwards", Gate: true, Nodes: May, For: Must},
		Drop:    {About: "the message is lost; the connection is silent for the time, then reset", For: May},
		Reset:   {About: "the connection is reset once the message has arrived", Gate: true, Nodes: May},
		Reorder: {About: "the message arrives after the next one of another connection, or after the time", For: Must},
		Clock:   {About: "the wall clocks of servers jump, and jump back", Gate: true, Nodes: May, By: Must, For: Must},
		Stop:    {About: "servers stand still", Gate: true, Nodes: May, For: Must},
		Restart: {About: "servers are killed, are down for the time, and start with their data or without", Gate: true, Nodes: May, For: Must, Data: May},
	}
}

// Kinds are the names of all kinds, in order.
func Kinds() []Kind { return slices.Sorted(maps.Keys(Forms())) }

// check says whether something that is needed so was given.
func (n Need) check(what string, given bool) error {
	switch {
	case n == No && given:
		return errors.New("it has no " + what)
	case n == Must && !given:
		return errors.New("it needs " + what)
	}
	return nil
}
