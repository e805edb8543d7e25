package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
	"locktorture/simulate"
)

// replay runs torture replay, and returns what it printed.
func replay(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = inProcess(t.Context(), append([]string{"replay"}, args...), nil, &o, &e)
	return code, o.String(), e.String()
}

// traced is what torture wire prints of a run.
func traced(t *testing.T, run string, flags ...string) string {
	t.Helper()
	var o, e bytes.Buffer
	if code := inProcess(t.Context(), append([]string{"wire", run}, flags...), nil, &o, &e); code != exit.OK {
		t.Fatalf("exit code %d: %s", code, e.String())
	}
	return o.String()
}

// written writes a file of the test.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A schedule is played, judged and kept; its run directory is played again and is the same,
// until its past is another.
func TestReplay(t *testing.T) {
	faults := written(t, "faults.txt", "# the reply to a grant is late\nat c2 reply SET=OK redis-1 #1: hold for=458ms\nat c1 gate write #99: kill\n")
	dir := t.TempDir()
	code, out, errOut := replay(t, faults, "--backend", "redis-set-del", "--duration", "1200ms", "--seed", "2", "--dir", dir)
	if code != exit.Violated || !strings.Contains(out, "foreign-release") || !strings.Contains(out, "injected     at c2 reply SET=OK redis-1 #1") ||
		!strings.Contains(out, "never came   at c1 gate write #99: kill") {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	latest := filepath.Join(dir, "latest")
	if text, err := os.ReadFile(filepath.Join(latest, simulate.ScheduleFile)); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v: %q", err, text)
	}
	if text, err := os.ReadFile(filepath.Join(latest, "report.html")); err != nil || !strings.Contains(string(text), "<code>at c2 reply SET=OK redis-1 #1: hold for=458ms</code>") ||
		!strings.Contains(string(text), "OK, kept back for 458 ms to SET lock:counter") {
		t.Errorf("the report has no schedule, or no drawing of the reply that is held back: %v", err)
	}
	trace := traced(t, latest, "--client", "2", "--lock", "counter")
	_, held, ok := strings.Cut(trace, "OK  to SET lock:counter")
	if !ok || strings.Count(trace, "[stays in the proxy]") != 1 || !strings.Contains(held, "[goes on, 458.") || strings.Contains(trace, "missing") {
		t.Errorf("the reply is not held back in the trace:\n%s", trace)
	}
	if code, out, errOut := replay(t, latest); code != exit.OK || !strings.HasPrefix(out, "the same: ") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	h := filepath.Join(latest, "history.jsonl")
	text, err := os.ReadFile(h)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[10] = strings.Replace(lines[10], `"client":`, `"client":1`, 1)
	if err := os.WriteFile(h, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := replay(t, latest); code != exit.Violated || !strings.Contains(out, "entry 11 of the history differs") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// A run is played again with guests of its own kind, whatever the environment asks for.
func TestReplayKind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TORTURE_GUEST", "wasm")
	if code, out, errOut := replay(t, written(t, "none.txt", ""), "--backend", "redis-set", "--duration", "300ms", "--dir", dir); code != exit.OK {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	t.Setenv("TORTURE_GUEST", "native")
	if code, out, errOut := replay(t, filepath.Join(dir, "latest")); code != exit.OK || !strings.HasPrefix(out, "the same: ") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	t.Setenv("TORTURE_GUEST", "wasi")
	if code, _, errOut := replay(t, written(t, "none.txt", ""), "--backend", "redis-set"); code != exit.BadUsage || !strings.Contains(errOut, "must be native or wasm") {
		t.Errorf("exit code %d, %s", code, errOut)
	}
}

// What cannot be played is refused with the cause, before anything is built.
func TestReplayRefused(t *testing.T) {
	good := written(t, "good.txt", "at c1 gate write #1: kill\n")
	for want, args := range map[string][]string{
		"--backend is missing":                                {good},
		`there is no "redis-sett"; did you mean redis-set?`:   {good, "--backend", "redis-sett"},
		"consul cannot be simulated":                          {good, "--backend", "consul"},
		"carry no tokens":                                     {good, "--backend", "redis-set", "--fencing", "on"},
		"each must be at least 1":                             {good, "--backend", "redis-set", "--clients", "0"},
		`schedule line 1: "at c1: kill": a point is`:          {written(t, "bad.txt", "at c1: kill"), "--backend", "redis-set"},
		"a run directory or a file with a schedule is needed": {filepath.Join(t.TempDir(), "none")},
		"--seed: a run directory is replayed with":            {t.TempDir(), "--seed", "3"},
		"run.json": {t.TempDir()},
		"did not run in virtual time: real servers never repeat a run": {filepath.Dir(written(t, "run.json", `{"schema":1,"backend":"redlock","provisioner":"process"}`))},
	} {
		if code, _, errOut := replay(t, args...); code != exit.BadUsage || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit code %d, %s, want %q", args, code, errOut, want)
		}
	}
}
