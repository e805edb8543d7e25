package cluster

import (
	"context"
	"fmt"
	"strings"
)

// Joined makes one cluster of several independent clusters that serve the same clients. Their nodes
// keep their names and are listed in the order of the parts. Closing it closes all parts; if Joined
// fails, it has closed them.
func Joined(parts ...*Cluster) (*Cluster, error) {
	all := &Cluster{Quorum: 1}
	var names, provisioners []string
	taken := map[string]bool{}
	owner := map[int]*Cluster{} // index of a node → its part
	first := map[*Cluster]int{} // index of its first node
	var err error
	for _, c := range parts {
		first[c] = len(all.Nodes)
		for _, n := range c.Nodes {
			if taken[n.Name()] && err == nil {
				err = fmt.Errorf("two servers are called %s: only one server of each kind is allowed", n.Name())
			}
			taken[n.Name()], owner[len(all.Nodes)] = true, c
			all.Nodes = append(all.Nodes, n)
		}
		for _, l := range c.links {
			l.shift(first[c])
		}
		all.links = append(all.links, c.links...)
		names, provisioners = append(names, c.Topology), append(provisioners, c.Provisioner)
		all.closers = append(all.closers, func(context.Context) error { return c.Close() })
	}
	if err != nil {
		_ = all.Close() // the first error is returned
		return nil, err
	}
	all.Topology, all.Provisioner = strings.Join(names, "+"), strings.Join(provisioners, "+")
	all.endpoints = func(client int) (list []string) {
		for _, c := range parts {
			list = append(list, c.Endpoints(client)...)
		}
		return list
	}
	all.link = func(client, node int) *Link {
		if c := owner[node]; c != nil {
			return c.Link(client, node-first[c])
		}
		return nil
	}
	all.peer = func(from, to int) *Link {
		if c := owner[from]; c != nil && c == owner[to] {
			return c.Peer(from-first[c], to-first[c])
		}
		return nil
	}
	return all, nil
}

// shift increases the indexes of the two nodes that the link connects.
func (l *Link) shift(by int) {
	if l.taps == nil {
		return
	}
	l.taps.change(func(t *taps) {
		if t.way.From >= 0 {
			t.way.From += by
		}
		if t.way.To >= 0 {
			t.way.To += by
		}
	})
}
