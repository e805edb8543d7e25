package nemesis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The modes of pause.
const (
	PauseClient = "client" // inside its critical section; OnWaiter: while it waits for a lock
	PauseNode   = "node"   // a server, or some of them
)

// A Pause stops a process for longer than a lease lasts and lets it go on: a
// garbage collection, a swapped-out process, a suspended machine. A client is
// stopped between the check of its lease and the store operation, where no
// client can help it, or, one time in three, while it waits for a lock. Where the drawn one does
// not come there whoever comes first is stopped; but every third fault that is meant for a
// holder stops the drawn one wherever it is. Where nobody waits a holder is stopped instead.
type Pause struct {
	Modes []string // to draw from; default: client four times in five, node where nodes can be stopped. One client in three is a waiter
	For   Span     // default 1.3–2 TTL
	Bound Span     // how long it waits for the client to enter a critical section; default 1 TTL
	Nodes Weights  // default: one and a minority as often as a majority and all
}

var (
	_ Substituter = Pause{}
	_ Checker     = Pause{}
)

// Traits declares it. A stopped server needs no further word: everybody knows that it takes
// locks away.
func (Pause) Traits() Traits {
	return Traits{
		Name:           "pause",
		About:          "a client (or a server) is stopped, as by a garbage collection, while it holds a lock or waits for one",
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

// Supports returns an error if neither clients nor nodes can be stopped, or a
// wanted mode cannot be had.
func (p Pause) Supports(w *World) error {
	modes := p.modes(w)
	if len(modes) == 0 {
		return errors.New("there is neither a client nor a server that could be stopped")
	}
	if slices.Contains(modes, PauseClient) && len(w.Clients) == 0 {
		return errors.New("there is no client to stop")
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

// Inject stops the process and returns once it was seen stopped. The error wraps ErrNotStruck
// if the client came neither into a section in time nor, where that is wanted, to wait.
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

// Instead stops the first client that comes where the step strikes, or else the drawn one.
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

// stopClient stops a client wherever it is.
func stopClient(ctx context.Context, c Client) (string, func(context.Context) error, error) {
	where, resume, err := c.Pause(ctx)
	return "stopped " + where, resume, err
}

// stopNodes stops the servers, all at the same time.
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
		return fmt.Errorf("strikes nodes, not clients: nodes %v, clients %v", s.Nodes, s.Clients)
	}
	return nil
}

// bound is how long an armed fault waits for its victim.
func bound(w *World, s Span) time.Duration {
	most := s.Most
	if most == 0 {
		most = 1
	}
	return time.Duration(most * float64(w.TTL))
}
