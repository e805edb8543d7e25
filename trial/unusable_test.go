package trial

import (
	"context"
	"errors"
	"strings"
	"testing"

	"locktorture/nemesis"
)

// A server has ended by itself if ended is not nil.
type server struct{ ended error }

func (server) Name() string                 { return "pgbouncer-1" }
func (s server) Look(context.Context) error { return s.ended }

// TestUnusable: a failure names the servers that have crashed.
func TestUnusable(t *testing.T) {
	crashed, failure := errors.New("its process has ended by itself"), errors.New("heal fault 5, latency")
	for _, c := range []struct {
		name    string
		server  server
		failure error
		want    string
	}{
		{"no failure", server{crashed}, nil, ""},
		{"a server that works", server{}, failure, "heal fault 5, latency"},
		{"a server that has crashed", server{crashed}, failure, "pgbouncer-1 cannot be used: its process has ended by itself"},
	} {
		tr := &trial{setting: Setting{World: &nemesis.World{Nodes: []nemesis.Node{c.server}}}}
		got := tr.unusable(t.Context(), c.failure)
		if c.want == "" && got == nil {
			continue
		}
		if got == nil || !strings.HasPrefix(got.Error(), c.want) || !errors.Is(got, c.failure) {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
	}
}
