package nemesis

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Restart kills servers with kill -9 and starts them again: at once, or after longer than a lease
// lasts, as Redlock requires for a server without persistence. The duration of the step is the time
// without the servers.
type Restart struct {
	Delayed Span    // default 1.1–1.5 TTL
	Nodes   Weights // default: a majority as often as one and a minority together; one, if it replaces a member
	Data    Data
}

// Data says whether servers that are started again have their data.
type Data int

// The fates of the data. Kept and Lost make faults of their own (restart-kept, restart-empty).
// Drawn means Kept if a server cannot start without its data, such as a member of a consensus
// group.
const (
	Drawn Data = iota // a coin decides for each step
	Kept              // the servers have all data that they had given to the kernel, because a kill is no loss of power
	Lost              // the servers are empty; a member of a consensus group is replaced by a new one
)

var _ Checker = Restart{}

// Traits returns the traits of the fault.
func (x Restart) Traits() Traits {
	t := Traits{
		Name:         "restart",
		About:        "servers are killed and started again, with or without their data",
		Effect:       Down,
		TakesLocks:   true,
		LeavesCopies: true,
		SeenLate:     seenLate,
	}
	switch x.Data {
	case Kept:
		t.PartOf, t.Name, t.About = t.Name, "restart-kept", "servers are killed and started again with their data"
	case Lost:
		t.PartOf, t.Name, t.About = t.Name, "restart-empty", "servers are killed and started again without their data; in a consensus group, a new member replaces one server"
	}
	return t
}

// Supports returns an error with the first node that cannot be killed and started again, or
// that cannot come back empty where the fault requires it.
func (x Restart) Supports(w *World) error {
	if err := able[Restarter](w, "killed and started again", "restart"); err != nil || x.Data != Lost {
		return err
	}
	for _, n := range w.Nodes {
		if why := excuse(n, "wipe"); why != "" && excuse(n, "replace") != "" {
			return fmt.Errorf("%s cannot come back empty: %s", n.Name(), why)
		}
	}
	return nil
}

// member reports whether a node needs its data to come back as the same member of its group.
func member(n Node) bool { return excuse(n, "wipe") != "" }

// empties reports whether a step may empty the data directories of its servers.
func (x Restart) empties(w *World) bool {
	return x.Data == Lost || x.Data == Drawn && !slices.ContainsFunc(w.Nodes, member)
}

// Plan draws the servers, whether they lose their data, and the time until they start again.
// In half of the steps that time is 0.
func (x Restart) Plan(d *Draw, w *World) Step {
	usual := Weights{One: 1, Minority: 1, Majority: 2}
	if x.Data == Lost && slices.ContainsFunc(w.Nodes, member) {
		usual = Weights{One: 1} // too few others would be left to accept a new member
	}
	s := Step{Nodes: x.Nodes.nodes(d, w, usual)}
	s.Wipe = x.Data == Lost || x.empties(w) && d.coin("wipe", s.Nodes)
	if d.one("delayed", 1, 1) == 1 {
		s.For = x.Delayed.draw(d, w.TTL, Span{1.1, 1.5})
	}
	s.Holder = drawHolder(d, w, false)
	return s
}

// Check returns an error if the step strikes no node, or wipes a node that must keep its data.
func (x Restart) Check(w *World, s Step) error {
	switch {
	case s.Wipe && !x.empties(w):
		return errors.New("these servers must keep their data")
	case s.Wipe && len(s.Nodes) > 1 && slices.ContainsFunc(w.Nodes, member):
		return errors.New("only one member of a group can be replaced at a time")
	case !s.Wipe && x.Data == Lost:
		return errors.New("these servers must lose their data")
	}
	return checkNodes(s)
}

// Inject kills the servers and returns once their processes have ended. The heal starts them and
// returns once they answer.
func (x Restart) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := x.Check(w, s); err != nil {
		return "", nil, err
	}
	started, letGo, holder, err := linger(ctx, w, s)
	if err != nil {
		return "", nil, err
	}
	heal := func(ctx context.Context) error {
		// The holder stays at work when its server returns without its lease.
		return each(w, s.Nodes, func(n Restarter) error { return n.Start(ctx, s.Wipe) })
	}
	ctx, cancel, err := uninterrupted(ctx)
	if err != nil {
		letGo()
		return "", nil, err
	}
	defer cancel()
	w.begins()
	if err := each(w, s.Nodes, func(n Restarter) error { return n.Kill(ctx) }); err != nil {
		letGo()
		return "", nil, undo(ctx, err, heal)
	}
	started()
	data := "data directory kept"
	if s.Wipe {
		data = "data directory emptied"
	}
	return fmt.Sprintf("%s killed, %s%s", names(w, s.Nodes), data, holder), heal, nil
}
