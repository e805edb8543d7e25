package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// endsSaying waits for a run, and looks for its exit code and a pattern in what it says, and in
// what is said of its history again.
func endsSaying(t *testing.T, cmd *exec.Cmd, code int, pattern string) {
	t.Helper()
	says(t, cmd, code, pattern)
	again := exec.CommandContext(t.Context(), "torture", "check", "results/runs/latest")
	again.Dir = cmd.Dir
	text, err := again.CombinedOutput()
	if again.ProcessState.ExitCode() != code || !unbroken(string(text), pattern) {
		t.Errorf("checked again: %v, want %q:\n%s", err, pattern, text)
	}
}

// says waits for a command, and looks for its exit code and a pattern in what it says.
func says(t *testing.T, cmd *exec.Cmd, code int, pattern string) {
	t.Helper()
	_ = cmd.Wait() // the code says it
	if text := outputOf(t, cmd.Dir); cmd.ProcessState.ExitCode() != code || !unbroken(text, pattern) {
		t.Errorf("exit code %d, want %d and %q:\n%s", cmd.ProcessState.ExitCode(), code, pattern, text)
	}
}

// unbroken looks for a pattern in a text whose lines may be broken anywhere.
func unbroken(text, pattern string) bool {
	return regexp.MustCompile(pattern).MatchString(strings.Join(strings.Fields(text), " "))
}

// tortureKept is a command of torture in a directory of its own, where what it says is kept.
func tortureKept(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "torture", args...)
	cmd.Dir = t.TempDir()
	out, err := os.Create(filepath.Join(cmd.Dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	cmd.Stdout, cmd.Stderr = out, out
	return cmd
}

// outputOf is what a run in a directory has said so far.
func outputOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// awaitGrants waits until the run in a directory says that locks were granted.
func awaitGrants(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if regexp.MustCompile(`[1-9][\d,]* grants`).MatchString(outputOf(t, dir)) {
			return
		}
	}
	t.Error("the run does not come to anything")
}
