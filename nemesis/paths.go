package nemesis

import (
	"errors"
	"fmt"
	"slices"
)

// linked returns the nodes to which clients have links of their own: all, or the first node behind
// a virtual endpoint.
func linked(w *World) []int {
	var nodes []int
	var links []Link
	for n := range w.Nodes {
		if len(w.Clients) == 0 || w.Link == nil {
			break
		}
		if l := w.Link(1, n); l != nil && !slices.Contains(links, l) {
			links, nodes = append(links, l), append(nodes, n)
		}
	}
	return nodes
}

// hasLinks returns an error if no link between a client and a node can be disturbed.
func hasLinks(w *World) error {
	if len(linked(w)) == 0 {
		return errors.New("there is no link between a client and a server that could be disturbed")
	}
	return nil
}

// hasPeers returns an error if links between nodes cannot be disturbed.
func hasPeers(w *World) error {
	if len(w.Nodes) < 2 || w.Peer == nil || w.Peer(0, 1) == nil {
		return errors.New("there is no link from one server to another that could be disturbed")
	}
	return nil
}

// clientPaths returns the links from the step's clients, or from all clients if it names none, to
// its nodes.
func clientPaths(w *World, s Step) ([]path, error) {
	if err := hasLinks(w); err != nil {
		return nil, err
	}
	numbers := s.Clients
	if len(numbers) == 0 {
		for i := range w.Clients {
			numbers = append(numbers, i+1)
		}
	}
	var paths []path
	for _, c := range numbers {
		for _, n := range s.Nodes {
			if n < 0 || n >= len(w.Nodes) {
				return nil, fmt.Errorf("there is no node %d; the number of nodes is %d", n, len(w.Nodes))
			}
			l := w.Link(c, n)
			if l == nil {
				return nil, fmt.Errorf("client %d has no link of its own to %s", c, w.Nodes[n].Name())
			}
			paths = append(paths, path{l, fmt.Sprintf("client %d to %s", c, w.Nodes[n].Name())})
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("has no link")
	}
	return paths, nil
}

// whose names the clients of a link fault.
func whose(s Step) string {
	if len(s.Clients) == 0 {
		return "all clients"
	}
	return fmt.Sprintf("clients %v", s.Clients)
}

// healAll ends all disturbances of the paths.
func healAll(paths []path) error {
	return overAll(paths, func(p path) error { return p.Heal() })
}

// peerPaths returns the links between the step's nodes and all other nodes: in both directions, or
// in the direction of the step if it has one.
func peerPaths(w *World, s Step) ([]path, error) {
	if err := hasPeers(w); err != nil {
		return nil, err
	}
	var paths []path
	for _, in := range s.Nodes {
		for out := range w.Nodes {
			if in < 0 || in >= len(w.Nodes) {
				return nil, fmt.Errorf("there is no node %d; the number of nodes is %d", in, len(w.Nodes))
			}
			if slices.Contains(s.Nodes, out) {
				continue
			}
			if s.Direction != Replies {
				paths = append(paths, peerPath(w, in, out))
			}
			if s.Direction != Requests {
				paths = append(paths, peerPath(w, out, in))
			}
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("leaves no server on the other side")
	}
	for _, p := range paths {
		if p.Link == nil {
			return nil, fmt.Errorf("there is no link %s", p.name)
		}
	}
	return paths, nil
}

// peerPath returns the link from one node to another.
func peerPath(w *World, from, to int) path {
	return path{w.Peer(from, to), fmt.Sprintf("%s to %s", w.Nodes[from].Name(), w.Nodes[to].Name())}
}
