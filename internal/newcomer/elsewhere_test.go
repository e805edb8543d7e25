package newcomer

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleElsewhere follows what examples/gotest/README.md says to do with a copy: without it
// Go does not find torture, with it the copy's test compiles.
func TestExampleElsewhere(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "examples", "gotest", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	const advice = "go mod edit -replace locktorture=/path/to/torture"
	if !strings.Contains(string(page), "\n"+advice+"\n") {
		t.Fatalf("the page no longer says %q", advice)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "gotest"))); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) error {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		t.Logf("%s: %v\n%s", strings.Join(args, " "), err, out)
		return err
	}
	if run("go", "list", "locktorture/gotest") == nil {
		t.Error("a copy finds torture although nobody said where it is")
	}
	if err := run(strings.Fields(strings.Replace(advice, "/path/to/torture", root, 1))...); err != nil {
		t.Fatal(err)
	}
	if err := run("go", "vet", "."); err != nil {
		t.Error("its test does not compile")
	}
}
