// Package nemesistest strikes with faults in tests. It also holds the tests of package nemesis that
// need real servers, because go mod tidy requires the checksums of all imports of the tests beside
// a package, and importers of nemesis should not need those.
package nemesistest

import (
	"context"
	"strings"
	"testing"
	"time"

	"locktorture/nemesis"
)

// Patience bounds the time in which a busy machine must complete a step that is immediate on an
// idle one.
const Patience = 30 * time.Second

// Inject strikes with a fault whose description must contain seen. It returns the heal of the
// fault, which fails the test if the fault cannot be healed.
func Inject(t *testing.T, w *nemesis.World, n nemesis.Nemesis, s nemesis.Step, seen string) (heal func()) {
	t.Helper()
	if err := n.Supports(w); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := Short()
	defer cancel()
	got, undo, err := n.Inject(ctx, w, s)
	if err != nil {
		t.Fatalf("inject %+v: %v", s, err)
	}
	t.Log(got)
	if !strings.Contains(got, seen) {
		t.Errorf("seen %q, want %q in it", got, seen)
	}
	return func() {
		t.Helper()
		if undo == nil { // nothing to undo
			return
		}
		ctx, cancel := Short()
		defer cancel()
		if err := undo(ctx); err != nil {
			t.Fatalf("heal %+v: %v", s, err)
		}
	}
}

// Short returns a context for one inject or heal.
func Short() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Minute)
}
