package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/scorecard"
	"locktorture/trial"
)

// onSmallDisk mounts a file system of so many kB for one command line, in a mount namespace that goes
// away with it, and copies what is on it then to out.
func onSmallDisk(t *testing.T, kB int, out string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	script := fmt.Sprintf(`mount -t tmpfs -o size=%dk none %s && cd %s && { "$@"; code=$?; cp -a . %s; exit $code; }`, kB, disk, disk, out)
	cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, "sh", self}, args...)...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%t", asTorture, !strings.HasPrefix(args[0], "-test.")), fmt.Sprintf("%s=1", smallDisk))
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run()
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// smallDisk says that a test is run on one.
const smallDisk = "TORTURE_TEST_SMALL_DISK"

// needSmallDisks skips a test where none can be mounted.
func needSmallDisks(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=4k none /mnt").CombinedOutput(); err != nil {
		t.Skipf("a small disk takes the right to mount one: %v %s", err, out)
	}
}

// TestFullDiskMatrix fills the disk with the cells of a matrix: those that were written can be read,
// and more of them when there is room again.
func TestFullDiskMatrix(t *testing.T) {
	if os.Getenv(smallDisk) == "" {
		needSmallDisks(t)
		if stdout, stderr, code := onSmallDisk(t, 64, t.TempDir(), "-test.run=^TestFullDiskMatrix$", "-test.v"); code != 0 || !strings.Contains(stdout, "cells, then the disk was full") {
			t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
		}
		return
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile("filler", make([]byte, 20<<10), 0o644))
	_, cells, err := openCells(".")
	must(err)
	n := 0
	for ; err == nil; n++ {
		err = cells.add(scorecard.Try{Backend: "local", Reason: strings.Repeat("x", 999)})
	}
	t.Logf("%d cells, then the disk was full: %v", n-1, err)
	must(os.Remove("filler"))
	must(cells.add(scorecard.Try{Backend: "none"}))
	must(cells.close())
	tries, cells, err := openCells(".")
	must(err)
	must(cells.close())
	if len(tries) != n || tries[n-1].Backend != "none" {
		t.Errorf("%d cells, want %d", len(tries), n)
	}
}

// TestFullDisk fills the disk while a run records, and while its reports are written: what there
// is is judged, and kept.
func TestFullDisk(t *testing.T) {
	needSmallDisks(t)
	for _, tt := range []struct {
		name  string
		kB    int
		limit string
		code  int
		grade checker.Grade // of what is on the disk, judged again
		has   []string
		not   []string
		says  string
	}{
		{"while it records", 700, "1000", exitHarness, checker.Unknown, []string{"history.jsonl", "run.json"}, []string{"report.html"}, "no space left on device"},
		{"while the reports are written", 150, "0", exitHarness, checker.Safe, []string{"history.jsonl", "run.json", "result.json"}, []string{"report.html"}, "the verdict stands, its reports are not complete"},
		{"never, by its limit", 1500, "0", exitOK, checker.Safe, []string{"history.jsonl", "run.json", "result.json", "report.html"}, nil, "has reached its limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kept := t.TempDir()
			stdout, stderr, code := onSmallDisk(t, tt.kB, kept, "run", "--"+noConfig, "--backend", "local", "--workload", "counter", "--nemesis", "none",
				"--duration", "60s", "--in-process", "--quiet", "--history-limit", tt.limit, "--dir", "runs")
			if code != tt.code || !strings.Contains(stderr, tt.says) || !strings.HasPrefix(stdout, string(tt.grade)) {
				t.Errorf("exit code %d, want %d, a verdict (%s) and %q:\n%s%s", code, tt.code, tt.grade, tt.says, stdout, stderr)
			}
			dirs, err := filepath.Glob(filepath.Join(kept, "runs", "2*"))
			if err != nil || len(dirs) != 1 {
				t.Fatalf("%d run directories: %v", len(dirs), err)
			}
			for _, name := range tt.has {
				if info, err := os.Stat(filepath.Join(dirs[0], name)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", name, err)
				}
			}
			for _, name := range append(tt.not, "*.new") {
				if found, _ := filepath.Glob(filepath.Join(dirs[0], name)); len(found) > 0 {
					t.Errorf("there is %v", found)
				}
			}
			var run report.Run
			if err := trial.ReadJSON(filepath.Join(dirs[0], "run.json"), &run); err != nil {
				t.Fatal(err)
			}
			if r, err := trial.Judge(dirs[0], run.Options, registry.Invariant(run.Options.Workload)); err != nil || r.Grade != tt.grade {
				t.Errorf("judged again: %s, %v", r.Sentence, err)
			}
		})
	}
}

// TestLongErrors: a driver whose errors are a megabyte of no text leaves a history that can be read.
func TestLongErrors(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "driver.sh")
	if err := os.WriteFile(script, []byte(opened(`garbage=$(head -c 1000000 /dev/zero | tr '\0' '\377')
while read line; do
	id=${line#*:}; id=${id%%,*}
	case $line in *'"op":"close"'*) echo "{\"id\":$id}"; exit 0;; esac
	printf '{"id":%s,"error":"unknown","message":"%s"}\n' $id "$garbage"
done`)), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	code := execute(t.Context(), []string{"run", "--" + noConfig, "--driver", "sh " + script, "--topology", "none", "--nemesis", "none", "--clients", "2",
		"--duration", "1s", "--free-within", "500ms", "--quiet", "--dir", filepath.Join(dir, "runs")}, strings.NewReader(""), &out, &errOut)
	if code != exitUnknown && code != exitViolated { // nothing was granted, and that for long
		t.Errorf("exit code %d\n%s%s", code, &out, &errOut)
	}
	h, truncated, err := history.ReadFile(filepath.Join(dir, "runs", "latest", "history.jsonl"))
	if err != nil || truncated || len(h) == 0 || h[len(h)-1].F != history.End {
		t.Fatalf("%d entries, truncated %v, %v", len(h), truncated, err)
	}
	long := 0
	for _, op := range h {
		if len(op.Error) > 1000 {
			long++
		}
		if len(op.Error) > 20_000 {
			t.Fatalf("an error of %d bytes", len(op.Error))
		}
	}
	if long == 0 {
		t.Error("no error was long: nothing was shown")
	}
}
