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
	Nodes   Weights // default: a majority as often as one and a minority together
	// KeepData disables emptying data directories. It is implied for a server that cannot start
	// without its data, such as a member of a consensus group.
	KeepData bool
}

var _ Checker = Restart{}

// Traits returns the traits of the fault.
func (Restart) Traits() Traits {
	return Traits{
		Name:         "restart",
		About:        "servers are killed and started again, with or without their data",
		Effect:       Down,
		TakesLocks:   true,
		LeavesCopies: true,
		SeenLate:     seenLate,
	}
}

// Supports returns an error with the first node that cannot be killed and started again.
func (Restart) Supports(w *World) error {
	return able[Restarter](w, "killed and started again", "restart")
}

// wipes reports whether data directories may be emptied.
func (x Restart) wipes(w *World) bool {
	needed := func(n Node) bool { return excuse(n, "wipe") != "" }
	return !x.KeepData && !slices.ContainsFunc(w.Nodes, needed)
}

// Plan draws the servers, whether they lose their data, and the time until they start again, which
// is 0 half the time.
func (x Restart) Plan(d *Draw, w *World) Step {
	s := Step{Nodes: x.Nodes.nodes(d, w, Weights{One: 1, Minority: 1, Majority: 2})}
	s.Wipe = x.wipes(w) && d.coin("wipe", s.Nodes)
	if d.one("delayed", 1, 1) == 1 {
		s.For = x.Delayed.draw(d, w.TTL, Span{1.1, 1.5})
	}
	s.Holder = drawHolder(d, w, false)
	return s
}

// Check returns an error if the step strikes no node, or wipes a node that must keep its data.
func (x Restart) Check(w *World, s Step) error {
	if s.Wipe && !x.wipes(w) {
		return errors.New("these servers must keep their data")
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
