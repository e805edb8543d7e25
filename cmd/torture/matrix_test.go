package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/internal/exit"
	"locktorture/internal/testenv"
	"locktorture/matrix"
)

// TestKilledMatrixResumes kills a matrix once it has a verdict: none of its
// processes may be left; resumed, it keeps that verdict and finishes the rest,
// and resumed again it gives the same table.
func TestKilledMatrixResumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark := fmt.Sprintf("TORTURE_TEST_MARK=%d-%d", os.Getpid(), rand.Uint64())
	run := func(more ...string) *exec.Cmd {
		args := append([]string{"matrix", "--backends", "none,local", "--nemeses", "none,clock", "--workloads", "counter", "--seeds", "2", "--duration", "6s", "--jobs", "1", "--out", "m"}, more...)
		cmd := exec.Command("torture", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), mark)
		return cmd
	}
	first := run("--quiet")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	cells := filepath.Join(dir, "m", matrix.CellsFile)
	before := waitForLine(t, cells)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	for deadline := time.Now().Add(testenv.Patience); len(marked(t, mark)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %v", marked(t, mark))
		}
	}
	// A line that the kill cut off is no obstacle.
	torn, err := os.OpenFile(cells, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(torn, `{"backend":"loc`)
	if err := torn.Close(); err != nil {
		t.Fatal(err)
	}

	if out, err := run().CombinedOutput(); err == nil || !strings.Contains(string(out), "continue that matrix with --resume") {
		t.Errorf("without --resume: %v\n%s", err, out)
	}
	again := resumed(t, run("--resume"))
	after, err := os.ReadFile(cells)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(after, before) {
		t.Error("a verdict that was there before the kill is gone or was made again")
	}
	if n := bytes.Count(after, []byte("\n")); n != 8 {
		t.Errorf("%d tries, want 8 (2 backends, 2 faults, 2 seeds):\n%s", n, after)
	}
	if !strings.Contains(again, "2 unsafe") || !strings.Contains(again, "2 safe") || strings.Contains(again, "not run") {
		t.Errorf("the table is not whole:\n%s", again)
	}
	if third := resumed(t, run("--resume")); third != again {
		t.Errorf("resumed again the table differs:\n%s\n%s", third, again)
	}
	if out, err := run("--resume", "--duration", "7s").CombinedOutput(); err == nil || !strings.Contains(string(out), "other flags") {
		t.Errorf("resumed with other flags: %v\n%s", err, out)
	}
}

// waitForLine returns the first whole lines of a file as soon as there are any.
func waitForLine(t *testing.T, path string) []byte {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		b, err := os.ReadFile(path)
		if i := bytes.LastIndexByte(b, '\n'); err == nil && i >= 0 {
			return b[:i+1]
		}
	}
	t.Fatal("no verdict in two minutes")
	return nil
}

// resumed runs a matrix that must end with exit code 1, for the control none
// is unsafe, and returns its table.
func resumed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, _ := cmd.Output()
	if cmd.ProcessState.ExitCode() != exit.Violated {
		t.Fatalf("exit code %d, want 1\n%s\n%s", cmd.ProcessState.ExitCode(), out, &errOut)
	}
	return string(out)
}
