package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes the repository's root the working directory, in which its drivers are found.
func repository(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	t.Setenv("PATH", filepath.Join(mustGetwd(t), "bin", "servers")+":"+os.Getenv("PATH"))
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func torture(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var b bytes.Buffer
	code = execute(t.Context(), args, strings.NewReader(""), &b, &b)
	return code, b.String()
}

// TestDrivers checks the locks of other languages. What is not the library's lock is asked only for what sets it
// apart: the driver is the same program, and each client of Curator a Java machine that takes its time to start.
func TestDrivers(t *testing.T) {
	repository(t)
	for _, tt := range []struct {
		name string
		only []string // all if empty
	}{
		{"redis-py", nil},
		{"node-redlock", nil},
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
			if code, out := torture(t, append([]string{"driver", "check", tt.name}, tt.only...)...); code != exitOK {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
}

// installed fails if the runtime of a driver is not there.
func installed(t *testing.T, name string) {
	t.Helper()
	if _, ok := readEnvironment().locks[name]; !ok {
		t.Fatalf("the runtime of %s is not installed; run: make servers", name)
	}
}

// TestNaiveDriver finds the naive lock broken in the way it is: who lost it
// deletes the next holder's.
func TestNaiveDriver(t *testing.T) {
	repository(t)
	installed(t, "naive-node")
	code, out := torture(t, "driver", "check", "naive-node", "--only", "exclusion,release-by-non-holder")
	if code != exitViolated || !strings.Contains(out, "1 passed, 1 failed") || !strings.Contains(out, "release by a former holder: success, want ErrNotHeld") {
		t.Errorf("exit code %d, want %d and a release by a former holder that succeeds:\n%s", code, exitViolated, out)
	}
	code, out = torture(t, "run", "--backend", "naive-node", "--nemesis", "pause", "--workload", "counter", "--duration", "10s",
		"--clients", "3", "--seed", "7", "--quiet", "--dir", t.TempDir())
	if code != exitViolated || !strings.Contains(out, "lost-update") {
		t.Errorf("exit code %d, want %d and lost updates:\n%s", code, exitViolated, out)
	}
}

// TestKazooBarrier finds that kazoo's double barrier counts whoever is there.
func TestKazooBarrier(t *testing.T) {
	repository(t)
	installed(t, "kazoo-barrier")
	code, out := torture(t, "driver", "check", "kazoo-barrier", "--only", "successor")
	if code != exitViolated || !strings.Contains(out, "let in beside the other") {
		t.Errorf("exit code %d, want %d and a successor that is let in beside who is inside:\n%s", code, exitViolated, out)
	}
}

// TestGuide checks the programs that docs/first-driver.md shows.
func TestGuide(t *testing.T) {
	repository(t)
	installed(t, "redis-py") // the guide's drivers need the same
	page, err := os.ReadFile(filepath.Join("docs", "first-driver.md"))
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
			if code, out := torture(t, args...); code != exitOK {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
}
