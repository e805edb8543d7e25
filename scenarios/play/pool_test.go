package play

import (
	"context"
	"errors"
	"testing"

	"locktorture/cluster"
)

// A node is a server that has ended by itself if ended is not nil.
type node struct{ ended error }

func (node) Name() string                 { return "n" }
func (node) Addr() string                 { return "" }
func (node) Version() string              { return "" }
func (node) Stop(context.Context) error   { return nil }
func (n node) Look(context.Context) error { return n.ended }

// Servers of which one has ended by itself are not used for another play.
func TestAlive(t *testing.T) {
	ended := node{errors.New("its process has ended by itself")}
	for _, c := range []struct {
		name  string
		nodes []cluster.Node
		alive bool
	}{
		{"no servers", nil, true},
		{"servers that work", []cluster.Node{node{}, node{}}, true},
		{"one has ended", []cluster.Node{node{}, ended}, false},
	} {
		k := pooled{Cluster: &cluster.Cluster{Nodes: c.nodes}}
		if k.alive(t.Context()) != c.alive {
			t.Errorf("%s: want alive %t", c.name, c.alive)
		}
	}
}
