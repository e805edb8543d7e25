package nemesis

import (
	"context"
	"errors"
	"fmt"
)

// The modes of Partition.
const (
	PartitionClients    = "client-node" // cuts some clients, or all, from some nodes
	PartitionNodes      = "node-node"   // cuts some nodes from all other nodes
	PartitionAsymmetric = "asymmetric"  // like node-node, but in one direction only
)

// A Partition cuts links: data is lost and connections hang, as after the failure of a switch.
// A step that names no clients cuts the links of all clients. The direction of an asymmetric
// partition is seen from the step's nodes: with Requests their data is lost, with Replies the
// data sent to them. Between clients and nodes, Replies loses only the answers: a request is
// executed, and the client receives no answer.
type Partition struct {
	Modes []string // modes to draw from; default: all for which the world has links
	For   Span     // default 0.5–2 TTL
	Nodes Weights  // for client-node; default: a majority as often as one and a minority together
}

var _ Checker = Partition{}

// A cut between clients and nodes loses both directions two times in three, and otherwise only the
// answers: only then is a request executed without an answer to the client.
const bothWays, answersOnly = 2, 1

// Traits returns the traits of the fault. TakesLocks is set because servers end the lease of a
// holder if they cannot reach each other, or the holder.
func (Partition) Traits() Traits {
	return Traits{
		Name:       "partition",
		About:      "messages are lost: between clients and servers, only from servers to clients, or between servers",
		Effect:     Cut,
		TakesLocks: true,
	}
}

// possible returns nil if the world has the links for a mode.
func possible(mode string, w *World) error {
	switch mode {
	case PartitionClients:
		return hasLinks(w)
	case PartitionNodes, PartitionAsymmetric:
		return hasPeers(w)
	}
	return checkMode(mode, PartitionClients, PartitionNodes, PartitionAsymmetric)
}

// modes returns the modes to draw from in this world.
func (p Partition) modes(w *World) []string {
	if len(p.Modes) > 0 {
		return p.Modes
	}
	var modes []string
	for _, m := range []string{PartitionClients, PartitionNodes, PartitionAsymmetric} {
		if possible(m, w) == nil {
			modes = append(modes, m)
		}
	}
	return modes
}

// Supports returns an error if there are no links, or if a requested mode lacks its links.
func (p Partition) Supports(w *World) error {
	modes := p.modes(w)
	if len(modes) == 0 {
		return hasLinks(w)
	}
	for _, m := range modes {
		if err := possible(m, w); err != nil {
			return err
		}
	}
	return nil
}

// Plan draws the mode, the two sides and the duration.
func (p Partition) Plan(d *Draw, w *World) Step {
	s := Step{Mode: d.of("mode", p.modes(w)), For: p.For.draw(d, w.TTL, Span{0.5, 2})}
	if s.Mode == PartitionClients {
		s.Nodes = p.Nodes.from(d, "nodes", linked(w), w.Quorum, Weights{1, 1, 2, 1})
		if d.one("clients", 1, 1) == 1 {
			s.Clients = clients(d, w, 1+d.IntN(len(w.Clients)))
		}
		if d.one("lost", bothWays, answersOnly) == 1 {
			s.Direction = Replies
		}
		return s
	}
	s.Nodes = Weights{One: 1, Minority: 1}.from(d, "peers", indices(len(w.Nodes)), w.Quorum, Weights{})
	if s.Mode == PartitionAsymmetric {
		s.Direction = d.of("direction", []string{Requests, Replies})
	}
	return s
}

// Check returns an error unless the step names links that exist.
func (Partition) Check(w *World, s Step) error {
	if err := possible(s.Mode, w); err != nil {
		return err
	}
	_, err := cutPaths(w, s)
	return err
}

// cutPaths returns the links that the step cuts.
func cutPaths(w *World, s Step) ([]path, error) {
	if s.Mode == PartitionClients {
		if s.Direction != "" && s.Direction != Replies {
			return nil, fmt.Errorf("direction %q: between clients and servers, a partition cuts both directions, or only %q", s.Direction, Replies)
		}
		return clientPaths(w, s)
	}
	if err := checkNodes(s); err != nil {
		return nil, err
	}
	if s.Mode == PartitionAsymmetric {
		if err := checkDirection(s.Direction); err != nil {
			return nil, err
		}
	}
	return peerPaths(w, s)
}

// Inject cuts the links and returns once no data passed the clients' links. A link between nodes
// cannot be tested from here, so its Cut is trusted.
func (p Partition) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := p.Check(w, s); err != nil {
		return "", nil, err
	}
	paths, err := cutPaths(w, s)
	if err != nil {
		return "", nil, err
	}
	tried := paths
	if s.Mode != PartitionClients {
		tried = nil
	}
	heal := func(ctx context.Context) error {
		return errors.Join(healAll(paths), seeQuick(ctx, tried, patience))
	}
	w.begins() // data is lost from here on, and that is seen after a while
	err = overAll(paths, func(p path) error {
		if s.Mode == PartitionClients && s.Direction == Replies {
			return p.CutReplies()
		}
		return p.Cut()
	})
	if err == nil {
		err = seeSilent(ctx, tried)
	}
	if err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	return cutSentence(w, s), heal, nil
}

// cutSentence describes the cut.
func cutSentence(w *World, s Step) string {
	switch {
	case s.Mode == PartitionClients && s.Direction == Replies:
		return fmt.Sprintf("the answers of %s to %s are lost", names(w, s.Nodes), whose(s))
	case s.Mode == PartitionClients:
		return fmt.Sprintf("%s cut from %s", names(w, s.Nodes), whose(s))
	case s.Direction == Requests:
		return fmt.Sprintf("messages of %s to other servers are lost", names(w, s.Nodes))
	case s.Direction == Replies:
		return fmt.Sprintf("messages of other servers to %s are lost", names(w, s.Nodes))
	}
	return fmt.Sprintf("%s cut from the other servers", names(w, s.Nodes))
}
