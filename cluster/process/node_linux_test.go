package process

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"locktorture/cluster"
)

// TestNotReadmitted: a node that the others do not take back has its usual arguments at its next start.
func TestNotReadmitted(t *testing.T) {
	refused := errors.New("no leader")
	n := &Node{dir: t.TempDir(), spec: cluster.Spec{Name: "n1", Args: []string{"usual"}, Rejoins: []string{"rejoin"}}}
	n.spec.Readmit = func(context.Context) error { return refused }
	if _, err := n.empty(t.Context()); !errors.Is(err, refused) || !slices.Equal(n.spec.Args, []string{"usual"}) {
		t.Errorf("%v, then arguments %q", err, n.spec.Args)
	}
	refused = nil
	restore, err := n.empty(t.Context())
	if err != nil || !slices.Equal(n.spec.Args, []string{"usual", "rejoin"}) {
		t.Fatalf("%v, arguments %q", err, n.spec.Args)
	}
	if restore(); !slices.Equal(n.spec.Args, []string{"usual"}) {
		t.Errorf("arguments %q after the start", n.spec.Args)
	}
	if _, err := os.Stat(n.data()); err != nil {
		t.Error(err)
	}
}
