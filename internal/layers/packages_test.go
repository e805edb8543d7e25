package layers

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// TestLight fails when torture has become heavy: by the packages that its first build compiles, and by
// the checksums that a user of gotest needs.
func TestLight(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "./cmd/torture")
	list.Dir = root(".")
	packages, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if n, most := bytes.Count(packages, []byte("\n")), 620; n > most {
		t.Errorf("cmd/torture consists of %d packages, at most %d are allowed; "+
			"a library that few need belongs into a program of its own (docs/design.md)", n, most)
	}
	sums, err := os.ReadFile(root("examples/gotest/go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if n, most := bytes.Count(sums, []byte("\n")), 60; n > most {
		t.Errorf("examples/gotest/go.sum has %d lines, at most %d are allowed", n, most)
	}
}
