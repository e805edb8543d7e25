package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"locktorture/internal/exit"
)

// TestOwnServerKilled: it is no lock's fault that something else has killed a server which
// torture had started.
func TestOwnServerKilled(t *testing.T) {
	t.Parallel()
	cmd := tortureKept(t, "run", "--backend", "redis-set", "--cluster", "process", "--workload", "counter", "--nemesis", "none", "--duration", "16s")
	cmd.Env = append(os.Environ(), servers(t), "TMPDIR="+cmd.Dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitGrants(t, cmd.Dir)
	killed := 0
	for _, pid := range workingBelow(t, cmd.Dir) {
		if exe, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe")); strings.HasPrefix(filepath.Base(exe), "redis") {
			killed++
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
	}
	if killed != 1 {
		t.Errorf("%d servers killed, want 1", killed)
	}
	endsSaying(t, cmd, exit.Unknown, `redis-1 could not be used from [\d.]+ s to the end \(its process has ended by itself\)`)
}

// workingBelow are the processes that work in a directory or below it.
func workingBelow(t *testing.T, dir string) (pids []int) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(cwd, dir) { // gone meanwhile, or another's
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}
