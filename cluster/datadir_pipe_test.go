package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCleanWaitsForNoPipe: anybody can put a pipe where the owner of a data directory stands.
func TestCleanWaitsForNoPipe(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	dir := filepath.Join(tmp, dataPrefix+"redis-1-x")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ownerFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if removed, err := Clean(); len(removed) > 0 || err == nil || !strings.Contains(err.Error(), "is a pipe") {
		t.Errorf("removed %v: %v", removed, err)
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if removed, err := Clean(); len(removed) > 0 || err != nil {
		t.Errorf("another user's directory: removed %v, %v", removed, err)
	}
}
