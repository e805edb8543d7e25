//go:build !wasip1 && !simulated

package gotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// silent says nothing.
func silent(string, ...any) {}

// A package that does not compile for wasip1 is told why, and what to do.
func TestUncompiled(t *testing.T) {
	compiled, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(compiled)))
	t.Setenv("TORTURE_GUEST", "wasm") // all but the first compile for this machine
	for want, files := range map[string]map[string]string{
		"a.go uses cgo":              {"a.go": "package a\n\n// int one() { return 1; }\nimport \"C\"\n\nfunc A() int { return int(C.one()) }\n"},
		"syscall.Flock is not there": {"a.go": "package a\n\nimport \"syscall\"\n\nfunc A() error { return syscall.Flock(1, 0) }\n"},
		"the package example.com/a/b has no file": {
			"a.go": "package a\n\nimport _ \"example.com/a/b\"\n\nfunc A() {}\n", "b/b_linux.go": "package b\n",
		},
	} {
		dir := t.TempDir()
		files["go.mod"], files["a_test.go"] = "module example.com/a\n\ngo 1.26\n", "package a\n\nvar _ = A\n"
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
		_, err := load(t.Context(), "", silent)
		if left, _ := filepath.Glob("cache/torture/*/*"); len(left) > 0 {
			t.Errorf("what was not built is kept: %v", left)
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "//go:build !wasip1") {
			t.Errorf("%s: %v", want, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := load(t.Context(), "", silent); err == nil || !strings.Contains(err.Error(), "go is not on the PATH") {
		t.Errorf("without Go: %v", err)
	}
}

// A replay is what its line says.
func TestReplay(t *testing.T) {
	for _, r := range []Replay{
		{Clients: 2, Duration: 1250e6, Seed: 7, Schedule: "at c1 gate write #1: kill\nat c2 reply SET=OK redis-1 #3: hold for=470ms\n"},
		{Clients: 3, Duration: 1e9, Schedule: "\n"},
		{Clients: 2, Duration: 1e9, Hold: "250ms", Think: "1ms-5ms", Schedule: "\n"},
	} {
		if again, err := parseReplay(r.String()); err != nil || again != r {
			t.Errorf("%v: %+v, %v", r, again, err)
		}
	}
	for _, wrong := range []string{"", "at c1 gate write #1: kill", "clients=2 duration=1s sed=3", "clients=0 duration=1s seed=1"} {
		if _, err := parseReplay(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
	if got, want := (Replay{Clients: 2, Duration: 1e9, Seed: 7}).command("TestA/b"), `TORTURE_REPLAY='clients=2 duration=1s seed=7' go test -count=1 -run '^TestA$/^b$' .`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
