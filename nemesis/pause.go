package nemesis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The modes of Pause.
const (
	PauseClient = "client" // inside its critical section; with OnWaiter while it waits for a lock
	PauseNode   = "node"   // one or several servers
)

// A Pause stops a process for longer than a lease lasts and then continues it, as a garbage
// collection, swapping or a suspended machine does. A client is stopped between the check of its
// lease and the store operation, where no client can protect itself, or, one time in three, while
// it waits for a lock. If the drawn client does not appear, the first client that does is stopped;
// but every third fault meant for a holder stops the drawn client at any place. If no client waits,
// a holder is stopped.
type Pause struct {
	Modes []string // modes to draw from; default: client four times in five, node if nodes can be stopped. One client in three is a waiter
	For   Span     // default 1.3–2 TTL
	Bound Span     // time to wait for the client to enter a critical section; default 1 TTL
	Nodes Weights  // default: one and a minority as often as a majority and all
}

var (
	_ Substituter = Pause{}
	_ Checker     = Pause{}
)

// Traits returns the traits of the fault.
func (Pause) Traits() Traits {
	return Traits{
		Name:           "pause",
		About:          "a client is paused, as by a garbage collection, while it holds a lock or waits for one; or a server is paused",
		Effect:         Stopped,
		StrikesClients: true,
		NeedsProcess:   true,
	}
}

// modes returns the modes to draw from in this world.
func (p Pause) modes(w *World) []string {
	if len(p.Modes) > 0 {
		return p.Modes
	}
	var modes []string
	if len(w.Clients) > 0 {
		modes = []string{PauseClient, PauseClient, PauseClient, PauseClient}
	}
	if able[Pauser](w, "stopped", "pause") == nil {
		modes = append(modes, PauseNode)
	}
	return modes
}

// Supports returns an error if neither clients nor nodes can be stopped, or a requested mode is not
// possible.
func (p Pause) Supports(w *World) error {
	modes := p.modes(w)
	if len(modes) == 0 {
		return errors.New("there is neither a client nor a server that could be paused")
	}
	if slices.Contains(modes, PauseClient) && len(w.Clients) == 0 {
		return errors.New("there is no client to pause")
	}
	if slices.Contains(modes, PauseNode) {
		return able[Pauser](w, "stopped", "pause")
	}
	return nil
}

// Plan draws the mode, the victim and the time.
func (p Pause) Plan(d *Draw, w *World) Step {
	s := Step{Mode: d.of("mode", p.modes(w)), For: p.For.draw(d, w.TTL, Span{1.3, 2})}
	if s.Mode == PauseNode {
		s.Nodes = p.Nodes.nodes(d, w, Weights{1, 1, 1, 1})
		return s
	}
	s.Clients = clients(d, w, 1)
	if drawWaiter(d, w) {
		s.Mode = OnWaiter
	}
	return s
}

// Check returns an error unless the mode and the victims fit together.
func (p Pause) Check(w *World, s Step) error {
	switch s.Mode {
	case PauseClient, OnWaiter:
		_, err := theClient(w, s)
		return err
	case PauseNode:
		return checkNodes(s)
	}
	return checkMode(s.Mode, PauseClient, OnWaiter, PauseNode)
}

// Inject stops the process and returns once it has stopped. The error wraps ErrNotStruck if the
// client neither entered a section in time nor, where requested, started to wait.
func (p Pause) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := p.Check(w, s); err != nil {
		return "", nil, err
	}
	if s.Mode == PauseNode {
		return p.stopNodes(ctx, w, s)
	}
	c := w.Clients[s.Clients[0]-1]
	where, letGo, err := meet(ctx, w, s, c, p.Bound)
	switch {
	case errors.Is(err, ErrNotStruck) && s.N%3 == 0 && s.Mode != OnWaiter:
		return stopClient(ctx, c)
	case err != nil:
		return "", nil, err
	}
	defer letGo()
	_, resume, err := stopClient(ctx, c)
	return "stopped " + where, resume, err
}

// Instead stops the first client that reaches the place of the step, or otherwise the drawn client.
func (p Pause) Instead(ctx context.Context, w *World, s Step, free []int) (Step, string, func(context.Context) error, error) {
	m, err := meetAny(ctx, w, s, free, p.Bound)
	switch {
	case errors.Is(err, ErrNotStruck):
		seen, resume, err := stopClient(ctx, w.Clients[s.Clients[0]-1])
		if s.Mode == OnWaiter {
			seen += nobodyWaited
		}
		return s, seen, resume, err
	case err != nil:
		return s, "", nil, err
	}
	defer m.letGo()
	_, resume, err := stopClient(ctx, w.Clients[m.client-1])
	s.Clients = []int{m.client}
	return s, "stopped " + m.where, resume, err
}

// stopClient stops a client at any place.
func stopClient(ctx context.Context, c Client) (string, func(context.Context) error, error) {
	where, resume, err := c.Pause(ctx)
	return "stopped " + where, resume, err
}

// stopNodes stops the servers at the same time.
func (p Pause) stopNodes(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	heal := func(ctx context.Context) error {
		return each(w, s.Nodes, func(n Pauser) error { return n.Resume(ctx) })
	}
	ctx, cancel, err := uninterrupted(ctx)
	if err != nil {
		return "", nil, err
	}
	defer cancel()
	if err := each(w, s.Nodes, func(n Pauser) error { return n.Pause(ctx) }); err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	return names(w, s.Nodes) + " stopped", heal, nil
}

// checkNodes returns an error unless the step strikes nodes and no clients.
func checkNodes(s Step) error {
	if len(s.Nodes) == 0 || len(s.Clients) > 0 {
		return fmt.Errorf("needs nodes, not clients: nodes %v, clients %v", s.Nodes, s.Clients)
	}
	return nil
}

// bound returns the time that an armed fault waits for its victim.
func bound(w *World, s Span) time.Duration {
	most := s.Most
	if most == 0 {
		most = 1
	}
	return time.Duration(most * float64(w.TTL))
}
