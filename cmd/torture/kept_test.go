package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/internal/exit"
	"locktorture/internal/testenv"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/trial"
)

// TestFullDisk fills the disk while a run records, and while its reports are written: what
// there is is judged, and kept.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	testenv.NeedSmallDisks(t)
	for _, tt := range []struct {
		name  string
		kB    int
		limit string
		code  int
		begin string        // of what it prints
		grade checker.Grade // of what is on the disk, judged again
		has   []string
		not   []string
		says  string
	}{
		{"while it records", 700, "1000", exit.Harness, "harness failed", checker.Unknown, []string{"history.jsonl", "run.json"}, []string{"report.html"}, "no space left on device"},
		{"while the reports are written", 150, "0", exit.Harness, "unknown", checker.Unknown, []string{"history.jsonl", "run.json", "result.json"}, []string{"report.html"}, "the verdict is valid, but its reports are incomplete"},
		{"never, by its limit", 1500, "0", exit.Unknown, "unknown", checker.Unknown, []string{"history.jsonl", "run.json", "result.json", "report.html"}, nil, "has reached its limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kept := t.TempDir()
			stdout, stderr, code := testenv.OnSmallDisk(t, tt.kB, kept, []string{asTorture + "=true"}, "run", "--"+runs.NoConfig, "--backend", "local", "--workload", "counter", "--nemesis", "none",
				"--duration", "60s", "--long-hold", "none", "--in-process", "--quiet", "--history-limit", tt.limit, "--dir", "runs")
			if code != tt.code || !strings.Contains(stderr, tt.says) || !strings.HasPrefix(stdout, tt.begin) {
				t.Errorf("exit code %d, want %d, %q first and %q:\n%s%s", code, tt.code, tt.begin, tt.says, stdout, stderr)
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

// TestLongErrors: a driver whose errors are a megabyte of no text leaves a history that can be
// read.
func TestLongErrors(t *testing.T) {
	t.Parallel()
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
	code := inProcess(t.Context(), []string{"run", "--" + runs.NoConfig, "--driver", "sh " + script, "--topology", "none", "--nemesis", "none", "--clients", "2",
		"--duration", "1s", "--free-within", "500ms", "--quiet", "--dir", filepath.Join(dir, "runs")}, strings.NewReader(""), &out, &errOut)
	if code != exit.Driver { // nothing was granted, and all answers say "unknown"
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
