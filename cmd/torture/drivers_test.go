package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
	"locktorture/registry/config"
	"locktorture/runs"
)

// torture runs the command line in the repository's root, in which its drivers are found: as a
// program of its own, so that tests of drivers, most of which is waiting, go on beside all
// others.
func torture(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "torture", args...)
	cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), servers(t))
	text, err := cmd.CombinedOutput()
	return exitOf(t, err), string(text)
}

// exitOf is the exit code of a command that was run.
func exitOf(t *testing.T, err error) int {
	t.Helper()
	var e *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// servers is the search path that begins with what make servers has built.
func servers(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "bin", "servers"))
	if err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")
}

// TestDrivers checks the locks of other languages. What is not the library's lock is asked
// only for what sets it apart: the driver is the same program, and each client of Curator a
// Java machine that takes its time to start.
func TestDrivers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		only []string // all if empty
	}{
		{"redis-py", nil},
		{"node-redlock", nil},
		{"node-redlock-4", []string{"--only", "grant,release,owner,until"}},
		{"sesamecare-redlock", []string{"--only", "grant,release,owner,until"}},
		{"bullmq", []string{"--only", "exclusion,release-twice,owner,lost"}},
		{"tooz-redis", []string{"--only", "exclusion,release-twice,owner"}},
		{"tooz-etcd", []string{"--only", "release-twice,crash"}},
		{"tooz-file", []string{"--only", "exclusion,crash"}},
		{"dynamodb-lock-client", []string{"--only", "cancel,tokens,crash"}},
		{"proper-lockfile", []string{"--only", "exclusion,release-twice,renewal,crash"}},
		{"node-semaphore-redlock", []string{"--only", "exclusion,lost,reconnect"}},
		{"node-semaphore-mutex", []string{"--only", "grant,release,owner,lost"}},
		{"node-semaphore-permits", []string{"--only", "try,release-twice,permits"}},
		{"kazoo", nil},
		{"curator", nil},
		{"kazoo-rw", []string{"--only", "exclusion,release-twice,readers"}},
		{"kazoo-semaphore", []string{"--only", "release-twice,permits"}},
		{"kazoo-barrier", []string{"--only", "grant,release,timeout,cancel,waiting,barrier,party-gone"}},
		{"curator-rw", []string{"--only", "exclusion,readers"}},
		{"curator-semaphore", []string{"--only", "release-twice,permits"}},
		{"curator-latch", []string{"--only", "grant,exclusion,deadline,cancel,release-twice,election,crash"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // most of a check is waiting
			installed(t, tt.name)
			if code, out := torture(t, append([]string{"driver", "check", tt.name}, tt.only...)...); code != exit.OK {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
}

// installed fails if the runtime of a driver is not there.
func installed(t *testing.T, name string) {
	t.Helper()
	file, err := config.ReadFile(filepath.Join("..", "..", "drivers", config.Name), runs.Keys())
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := file.Drivers[name]; !ok || d.Missing() != "" {
		t.Fatalf("the runtime of %s is not installed; run: make servers", name)
	}
}

// TestNaiveDriver finds the naive lock broken in the way it is: who lost it
// deletes the next holder's.
func TestNaiveDriver(t *testing.T) {
	t.Parallel()
	installed(t, "naive-node")
	code, out := torture(t, "driver", "check", "naive-node", "--only", "exclusion,release-by-non-holder")
	if code != exit.Violated || !strings.Contains(out, "1 passed, 1 failed") || !strings.Contains(out, "release by a former holder: success, want ErrNotHeld") {
		t.Errorf("exit code %d, want %d and a release by a former holder that succeeds:\n%s", code, exit.Violated, out)
	}
	code, out = torture(t, "run", "--backend", "naive-node", "--nemesis", "pause", "--workload", "counter", "--duration", "10s",
		"--clients", "3", "--seed", "7", "--quiet", "--dir", t.TempDir())
	if code != exit.Violated || !strings.Contains(out, "lost-update") {
		t.Errorf("exit code %d, want %d and lost updates:\n%s", code, exit.Violated, out)
	}
}

// TestKazooBarrier finds that kazoo's double barrier counts whoever is there.
func TestKazooBarrier(t *testing.T) {
	t.Parallel()
	installed(t, "kazoo-barrier")
	code, out := torture(t, "driver", "check", "kazoo-barrier", "--only", "successor")
	if code != exit.Violated || !strings.Contains(out, "let in beside the other") {
		t.Errorf("exit code %d, want %d and a successor that is let in beside who is inside:\n%s", code, exit.Violated, out)
	}
}

// TestGuide checks the programs that docs/first-driver.md shows.
func TestGuide(t *testing.T) {
	t.Parallel()
	installed(t, "redis-py") // the guide's drivers need the same
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "first-driver.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := strings.Split(string(page), "```python\n")[1:]
	if len(programs) != 2 {
		t.Fatalf("the guide shows %d programs, want a lock and one that several can hold", len(programs))
	}
	for _, tt := range []struct {
		name    string
		program int
		options []string
	}{
		{"lock", 0, nil},
		{"rw", 1, []string{"--option", "kind=rw"}},
		{"semaphore", 1, []string{"--option", "kind=semaphore"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, _, ended := strings.Cut(programs[tt.program], "```\n")
			if !ended {
				t.Fatal("the program has no end")
			}
			program := filepath.Join(t.TempDir(), "my_lock.py")
			if err := os.WriteFile(program, []byte(code), 0o644); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"driver", "check", "/usr/bin/python3 " + program, "--topology", "redis"}, tt.options...)
			if code, out := torture(t, args...); code != exit.OK {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
}

// TestGuideInNode checks the program in JavaScript that docs/first-driver.md shows, in a folder
// that has what the page says.
func TestGuideInNode(t *testing.T) {
	t.Parallel()
	installed(t, "naive-node") // it needs the same
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "first-driver.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```js\n")
	program, _, ended := strings.Cut(rest, "```\n")
	if !ended {
		t.Fatal("the guide shows no whole program in JavaScript")
	}
	node, err := filepath.Abs(filepath.Join("..", "..", "drivers", "node"))
	if err != nil {
		t.Fatal(err)
	}
	helper, err := os.ReadFile(filepath.Join(node, "torture_driver.js"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"my_lock.js": program, "torture_driver.js": string(helper)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(node, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if code, out := torture(t, "driver", "check", "node "+filepath.Join(dir, "my_lock.js"), "--topology", "redis"); code != exit.OK {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
