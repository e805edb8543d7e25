// Package nemesistest strikes with faults in tests. The tests of this package test package
// nemesis that need real servers: what they import is no concern of whoever imports package
// nemesis, while go mod tidy asks for the checksums of what the tests beside a package import.
package nemesistest

import (
	"context"
	"strings"
	"testing"
	"time"

	"locktorture/nemesis"
)

// Patience is how long a busy machine may take for what is done at once on
// one that has nothing else to do.
const Patience = 30 * time.Second

// Inject strikes with a fault of the world and returns its heal, which fails
// the test if it fails.
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

// Short is a context for one inject or heal.
func Short() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Minute)
}
