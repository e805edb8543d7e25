package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"locktorture/explore/session"
	"locktorture/internal/exit"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/search"
)

// said runs a command line, and returns its exit code and what it printed.
func said(ctx context.Context, args ...string) (int, string) {
	var out, errOut bytes.Buffer
	code := inProcess(ctx, args, nil, &out, &errOut)
	return code, out.String() + errOut.String()
}

// found is the run directory that explore names.
func found(t *testing.T, text string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "replay    torture replay ")
	if !ok {
		t.Fatalf("no run directory in %s", text)
	}
	run, _, _ := strings.Cut(rest, "\n")
	return run
}

// What explore finds is a run directory as any other: check judges it alike, and shrink plays
// it again.
func TestExplore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, text := said(t.Context(), "explore", "redis-setnx-expire", "--find", "deadlock", "--seed", "1", "--jobs", "1", "--clients", "2",
		"--kinds", "drop,kill", "--duration", "1s", "--trials", "60", "--confirm", "0", "--quiet", "--dir", dir)
	if code != exit.Violated || !strings.Contains(text, session.Unconfirmed) || !strings.Contains(text, "without it the anomaly disappears") {
		t.Fatalf("exit code %d: %s", code, text)
	}
	for line := range strings.Lines(text[:strings.Index(text, "report  ")]) {
		if n := utf8.RuneCountInString(line); n > 81 && !strings.Contains(line, dir) {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	run := found(t, text)
	read, err := os.ReadFile(filepath.Join(run, "schedule.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := schedule.Parse(string(read)); err != nil || len(s) != 1 || !strings.Contains(text, s.String()[:20]) {
		t.Errorf("%v: schedule\n%s\nprinted was\n%s", err, read, text)
	}
	if code, text := said(t.Context(), "check", run); code != exit.Violated || !strings.Contains(text, "deadlock") {
		t.Errorf("check: exit code %d: %s", code, text)
	}
	again := t.TempDir()
	code, text = said(t.Context(), "shrink", run, "--quiet", "--dir", again)
	if code != exit.Violated || !strings.Contains(text, "reduced from 1 fault, ") || !strings.Contains(text, session.Unconfirmed) {
		t.Errorf("shrink: exit code %d: %s", code, text)
	}
	if twice, err := os.ReadFile(filepath.Join(again, "latest", "schedule.txt")); err != nil || len(twice) == 0 {
		t.Errorf("%v: %q", err, twice)
	}
}

// Where nothing is found, it is told what was tried; ^C ends the search in order.
func TestExploreNothing(t *testing.T) {
	t.Parallel()
	args := []string{"explore", "redis-set", "--trials", "3", "--seed", "1", "--clients", "2", "--duration", "500ms", "--kinds", "pause,drop", "--quiet", "--dir", t.TempDir()}
	code, text := said(t.Context(), args...)
	if code != exit.OK || !strings.Contains(text, "no anomaly that is the lock's fault in 3 trials (4 runs") || !strings.Contains(text, "points hit") {
		t.Errorf("exit code %d: %s", code, text)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var r search.Report
	var out bytes.Buffer
	if code := inProcess(t.Context(), append(args, "--json"), nil, &out, &out); code != exit.OK || json.Unmarshal(out.Bytes(), &r) != nil || r.Trials != 3 || r.Found != nil {
		t.Errorf("exit code %d: %s", code, &out)
	}
	if code, text := said(ctx, args...); code != exit.Interrupted {
		t.Errorf("interrupted: exit code %d: %s", code, text)
	}
}

// A lock on etcd is searched, and its run repeated, with servers that are guests.
func TestExploreEtcd(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		code, text := said(t.Context(), "explore", "etcd-put")
		if code != exit.BadUsage || !strings.Contains(text, "no native guest") {
			t.Errorf("exit code %d: %s", code, text)
		}
		return
	}
	code, text := said(t.Context(), "explore", "etcd-put", "--seed", "1", "--jobs", "1", "--trials", "1", "--confirm", "0", "--quiet", "--dir", t.TempDir())
	if code != exit.Violated || !strings.Contains(text, "no fault is needed") {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if code, text := said(t.Context(), "replay", found(t, text)); code != exit.OK || !strings.Contains(text, "the same: ") {
		t.Errorf("replay: exit code %d: %s", code, text)
	}
	for flag, want := range map[string]string{"--kinds=clock": "monotonic", "--option=token=1s": "have only session=kept"} {
		if code, text := said(t.Context(), "explore", "etcd", flag); code == exit.OK || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d: %s", flag, code, text)
		}
	}
}
