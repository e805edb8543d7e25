package locktest

import (
	"context"
	"testing"
	"time"

	"locktorture/locks"
)

// nodes answers with so many of five nodes taken, look after look; the last stays.
type nodes []int

func (n *nodes) Probe(context.Context, string) ([]locks.Sight, error) {
	sights := make([]locks.Sight, 5)
	for i := range (*n)[0] {
		sights[i].Owner = "a former holder"
	}
	if len(*n) > 1 {
		*n = (*n)[1:]
	}
	return sights, nil
}

func (*nodes) Close() error { return nil }

func TestCleared(t *testing.T) {
	for _, tt := range []struct {
		name   string
		quorum int
		taken  nodes
		ok     bool
	}{
		{"all at once", 3, nodes{0}, true},
		{"a quorum at once, the others soon", 3, nodes{2, 1, 0}, true},
		{"no quorum", 3, nodes{3, 0}, false},
		{"one never", 3, nodes{2, 1}, false},
		{"no lock of a quorum, one late", 1, nodes{1, 0}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &fixture{Suite: Suite{TTL: 100 * time.Millisecond, Quorum: tt.quorum, Prober: &tt.taken}}
			if err := b.cleared(t.Context()); (err == nil) != tt.ok {
				t.Errorf("after a release: %v", err)
			}
		})
	}
}
