package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locktorture/explore/kept"
	"locktorture/internal/exit"
)

// TestOwn: what gotest has found in another module is played again by its run directory, in
// virtual time and on real servers, as what explore has found. Where what is needed is gone,
// that is said.
func TestOwn(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip(err)
	}
	found, rounds := t.TempDir(), t.TempDir()
	test := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestBugs$/^timed-out$", ".")
	test.Dir, test.Env = "../../examples/hidden", append(os.Environ(), "HIDDEN_DIR="+found)
	if out, err := test.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(found, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"the same: ":  {"replay", dir},
		"SET counter": {"wire", dir},
		"report.html": {"report", dir},
	} {
		if code, text := said(t.Context(), args...); code != exit.OK || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d, want %q in\n%s", args[0], code, want, text)
		}
	}
	// On a busy machine the events of a round may come too late for its fault.
	code, text := said(t.Context(), "confirm", dir, "--rounds", "10", "--need", "1", "--dir", rounds)
	for _, want := range []string{"on real servers: confirmed", "orphan · 1 of 1 faults took effect"} {
		if code != exit.OK || !strings.Contains(text, want) {
			t.Errorf("confirm: exit code %d, want %q in\n%s", code, want, text)
		}
	}
	if err := os.Remove(filepath.Join(dir, kept.Binary)); err != nil {
		t.Fatal(err)
	}
	if code, text := said(t.Context(), "confirm", dir); code != exit.BadUsage || !strings.Contains(text, "run the test again") {
		t.Errorf("without the binary: exit code %d: %s", code, text)
	}
	file := filepath.Join(dir, kept.File)
	ours, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(ours), "examples/hidden", "examples/nowhere", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, text := said(t.Context(), "replay", dir); code != exit.BadUsage || !strings.Contains(text, "which was in") {
		t.Errorf("without the source: exit code %d: %s", code, text)
	}
}

// TestOwnOnEtcd: what gotest has found with a lock on etcd is played again by its run directory.
func TestOwnOnEtcd(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("etcd cannot be simulated here")
	}
	found := t.TempDir()
	test := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestReplay$", "../../gotest/etcdtest", "-keep", found)
	if out, err := test.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(found, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"the same: ": {"replay", dir},
		"Txn":        {"wire", dir},
	} {
		if code, text := said(t.Context(), args...); code != exit.OK || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d, want %q in\n%s", args[0], code, want, text)
		}
	}
}
