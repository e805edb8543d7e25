package nemesis_test

import (
	"time"

	"locktorture/nemesis"
)

// A shape is a node that could suffer everything; planning never calls it.
type shape struct {
	nemesis.Pauser
	nemesis.Restarter
	nemesis.Clocked
	name string
}

func (s shape) Name() string { return s.name }

// A plainNode can do nothing.
type plainNode string

func (n plainNode) Name() string { return string(n) }

// A loyalNode keeps its data and its clock, and says why.
type loyalNode struct{ shape }

func (loyalNode) WhyNot(capability string) string {
	if capability == "wipe" {
		return "it would not be let back"
	}
	return ""
}

// shapeOf is a world for planning alone.
func shapeOf(clients, nodes, quorum int) *nemesis.World {
	w := &nemesis.World{TTL: 2 * time.Second, Quorum: quorum}
	for range clients {
		w.Clients = append(w.Clients, nemesis.Client(nil))
	}
	for i := range nodes {
		w.Nodes = append(w.Nodes, shape{name: string(rune('A' + i))})
	}
	type link struct{ nemesis.Link }
	w.Link = func(int, int) nemesis.Link { return new(link) }
	w.Peer = func(int, int) nemesis.Link { return new(link) }
	w.Replication = struct{ nemesis.Replication }{}
	return w
}

// all is every kind of fault that the world of shapeOf can suffer: nobody leads there.
func all() nemesis.Kinds {
	kinds := only(nemesis.Whole(nemesis.All())...)
	delete(kinds, nemesis.Leader{}.Traits().Name)
	return kinds
}

// only is a choice of all.
func only(names ...string) nemesis.Kinds {
	kinds := nemesis.Kinds{}
	for _, n := range names {
		kinds[n] = nemesis.All()[n]
	}
	return kinds
}
