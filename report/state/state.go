package state

import (
	"cmp"
	"errors"
	"slices"

	"locktorture/history"
	"locktorture/timeline"
)

// A State is what the entries of a history up to an instant say. An entry at the instant
// itself counts.
type State struct {
	Time    int64 // ns
	Clients []Client
	Looks   []Seen       // by node, then lock
	Cells   []Stored     // by store, in the order in which its keys were first written
	Marks   []Marked     // by store
	Faults  []history.Op // in place, in the order in which they struck
}

// A Client is what one client does and believes.
type Client struct {
	Name   string // "c3"; "process 3" where the history names no client
	Doing  Doing
	Leases []Lease // that it believes to hold, or has not heard to have given back
}

// Seen is what a server had of a lock when it was last looked at.
type Seen struct {
	Node, Lock string
	Look
}

// Stored is the last value of a key of a store.
type Stored struct {
	Store string
	Cell
}

// Marked is the mark of a store.
type Marked struct {
	Store string
	Mark
}

// errPast ends a pass over a history.
var errPast = errors.New("past the instant")

// At returns the state at an instant, in ns since the start of the run.
func At(h history.Source, instant int64) (State, error) {
	t := NewTracker()
	_, err := timeline.WalkAll(h, func(e timeline.Entry) error {
		if e.Time > instant {
			return errPast
		}
		t.Entry(e)
		return nil
	})
	if err != nil && !errors.Is(err, errPast) {
		return State{}, err
	}
	return t.state(instant), nil
}

// state returns what the tracker has come to.
func (t *Tracker) state(instant int64) State {
	s := State{Time: instant}
	at := map[string]int{} // client → its place
	for i, sub := range t.Subjects {
		switch v := t.values[i].(type) {
		case Doing:
			at[sub.Name] = len(s.Clients)
			s.Clients = append(s.Clients, Client{Name: sub.Name, Doing: v})
		case Lease:
			if c := &s.Clients[at[sub.Name]]; v.Number > 0 {
				c.Leases = append(c.Leases, v)
			}
		case Look:
			s.Looks = append(s.Looks, Seen{sub.Name, sub.Of, v})
		case Cell:
			s.Cells = append(s.Cells, Stored{sub.Name, v})
		case Mark:
			s.Marks = append(s.Marks, Marked{sub.Name, v})
		}
	}
	for _, op := range t.faults {
		s.Faults = append(s.Faults, *op)
	}
	slices.SortFunc(s.Faults, func(a, b history.Op) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Fault, b.Fault)) })
	slices.SortStableFunc(s.Clients, func(a, b Client) int { return byName(a.Name, b.Name) })
	slices.SortStableFunc(s.Looks, func(a, b Seen) int { return cmp.Or(byName(a.Node, b.Node), byName(a.Lock, b.Lock)) })
	slices.SortStableFunc(s.Marks, func(a, b Marked) int { return cmp.Compare(a.Store, b.Store) })
	slices.SortStableFunc(s.Cells, func(a, b Stored) int { return cmp.Compare(a.Store, b.Store) })
	return s
}

// byName puts c2 before c10.
func byName(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
