package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/cluster"
)

// Only what a dead process has left goes.
func TestClean(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	living, err := cluster.NewDataDir("redis-1")
	must(t, err)
	dead, err := cluster.NewDataDir("redis-2")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dead, "dump"), []byte("data"), 0o644))
	must(t, os.WriteFile(filepath.Join(dead, "owner"), []byte(endedProcess(t)), 0o644))
	reused, err := cluster.NewDataDir("redis-3") // its owner's number belongs to another process now
	must(t, err)
	must(t, os.WriteFile(filepath.Join(reused, "owner"), []byte("1 18446744073709551615"), 0o644))
	foreign := filepath.Join(tmp, "torture-photos")
	must(t, os.Mkdir(foreign, 0o755))

	removed, err := cluster.Clean()
	must(t, err)
	if diff := cmp.Diff(map[string]bool{dead: true, reused: true}, set(removed)); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "*"))
	must(t, err)
	if diff := cmp.Diff(map[string]bool{living: true, foreign: true}, set(left)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// endedProcess returns an owner that was a process a moment ago.
func endedProcess(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe, "-test.run=^$")
	must(t, cmd.Run())
	return fmt.Sprintf("%d 1", cmd.Process.Pid)
}

func set(paths []string) map[string]bool {
	s := map[string]bool{}
	for _, p := range paths {
		s[p] = true
	}
	return s
}
