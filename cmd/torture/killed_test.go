package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktorture/internal/exit"
	"locktorture/internal/testenv"
)

// killRounds is how often the harness is killed.
const killRounds = 4

// TestKilled kills the harness at a random moment: no process of it may be
// left, and what it wrote must be readable.
func TestKilled(t *testing.T) {
	t.Parallel()
	for round := range killRounds {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			dir := t.TempDir()
			mark := fmt.Sprintf("TORTURE_TEST_MARK=%d-%d", os.Getpid(), rand.Uint64())
			backend := []string{"redlock", "redis-set"}[round%2]
			cmd := exec.Command("torture", "run", "--backend", backend, "--nemesis", "all", "--duration", "60s", "--quiet")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), mark, servers(t), "TMPDIR="+dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(500+rand.IntN(2500)) * time.Millisecond) // the moment of the kill, not a wait for anything
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(20 * time.Millisecond) {
				left := marked(t, mark)
				if len(left) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("left behind: %v", left)
				}
			}
			readable(t, dir)
		})
	}
}

// readable judges what a killed run left, if it had begun to record. It is never safe.
func readable(t *testing.T, dir string) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, "results/runs/*/history.jsonl"))
	if err != nil || len(runs) == 0 {
		t.Logf("killed before the first entry: %v", err)
		return
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(runs[0]), "wire.bin")); err == nil {
		if out, err := exec.Command("torture", "wire", filepath.Dir(runs[0])).CombinedOutput(); err != nil {
			t.Errorf("wire: %v\n%.2000s", err, out)
		}
	}
	cmd := exec.Command("torture", "check", filepath.Dir(runs[0]))
	out, err := cmd.CombinedOutput()
	code := cmd.ProcessState.ExitCode()
	if code != exit.Violated && code != exit.Unknown || !bytes.Contains(out, []byte("torture check")) {
		t.Errorf("check: exit code %d, %v\n%s", code, err, out)
	}
	if code == exit.Unknown && !bytes.Contains(out, []byte("the history has no end")) {
		t.Errorf("check does not say why:\n%s", out)
	}
}

// marked lists the living processes that have the mark in their environment.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	var found []string
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, []byte(mark)) { // gone meanwhile, or another's
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}
