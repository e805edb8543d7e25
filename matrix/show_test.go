package matrix

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/report/scorecard"
)

var update = flag.Bool("update", false, "write the golden files anew")

// night returns a matrix that has one of everything: cells that broke a promise, that kept
// them, that are unknown, that could not be, and one in which a driver failed.
func night() *Matrix {
	m := &Matrix{config: Config{Out: "results/matrix/night"}, done: map[tryKey]scorecard.Try{}}
	add := func(backend, nemesis, state, reason string, grade checker.Grade, code int, anomalies map[string]int) {
		t := scorecard.Try{Backend: backend, Nemesis: nemesis, Workload: "counter", Seed: 7, State: state, Reason: reason, Exit: code}
		if grade != "" {
			t.Dir, t.Reproduce = "runs/"+backend, "torture run --backend "+backend+" --workload counter --nemesis "+nemesis+" --duration 10s --clients 5 --ttl 2s --seed 7 --cluster auto --no-config"
			t.Result = &checker.Result{Grade: grade, Reason: reason, Sentence: string(grade), Failed: code == exit.Violated,
				Counts: checker.Counts{Grants: 2777, Faults: 4, Bites: 3, Anomalies: anomalies}, Stores: []checker.StoreResult{{Store: "plain", Lost: 2, Of: 50}},
				Measures: checker.Measures{GrantRate: 277, Acquire: checker.Quantiles{N: 9, P50: 1e6, P99: 2e7}}}
		}
		m.plan, m.done[keyOf(t)] = append(m.plan, t), t
	}
	add("redlock", "clock", scorecard.Tried, "", checker.Unsafe, exit.Violated, map[string]int{"double-grant": 257, "overrun": 6, "lost-update": 2})
	add("etcd", "clock", scorecard.NotPossible, "servers in Go do not ask libc for the time, so that their clock cannot be moved", "", exit.BadUsage, nil)
	add("etcd", "none", scorecard.Tried, "", checker.Safe, exit.OK, nil)
	add("redis-fenced", "pause+kill-client", scorecard.Tried, "exclusion was violated, but no stale operation put the fence to the test", checker.Unknown, exit.Unknown, map[string]int{"overrun": 1})
	add("my-lock", "none", scorecard.DriverFailed, "driver python3 my_lock.py: driver process 4711: exit status 1", "", exit.Driver, nil)
	return m
}

// TestShow: what a matrix prints fits the terminal, and ends with its counts, what came to
// nothing, why the exit code is what it is, and its page.
func TestShow(t *testing.T) {
	for _, columns := range []string{"80", "120"} {
		t.Setenv("COLUMNS", columns)
		m, width := night(), map[string]int{"80": 80, "120": 120}[columns]
		rows := m.rows()
		var out bytes.Buffer
		if err := m.print(&out, rows, m.causes(rows)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > width && !strings.HasPrefix(line, "reproduce: ") {
				t.Errorf("at %d: a line of %d characters: %s", width, n, line)
			}
		}
		path := filepath.Join("testdata", "matrix-"+columns+".txt")
		if *update {
			if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), out.String()); d != "" {
			t.Errorf("%s (-want +got), -update writes it anew:\n%s", path, d)
		}
	}
}

// TestCauses: the worst decides, and only what decides is told.
func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(m *Matrix)
		code   int
		want   string
	}{
		{"a driver", func(*Matrix) {}, exit.Driver, "exit code 5: the driver failed in 1 cell: my-lock none counter"},
		{"a broken promise", func(m *Matrix) { m.plan = m.plan[:4] }, exit.Violated, "exit code 1: a promise was broken in 1 cell: redlock clock counter"},
		{"unknown", func(m *Matrix) { m.plan = m.plan[2:4] }, exit.Unknown, "exit code 3: unknown in 1 cell: redis-fenced pause+kill-client counter"},
		{"nothing", func(m *Matrix) { m.plan = m.plan[1:2] }, exit.Unknown, "exit code 3: no cell has a verdict"},
		{"all well", func(m *Matrix) { m.plan = m.plan[1:3] }, exit.OK, "exit code 0: every cell that has a verdict is as it should be"},
	} {
		m := night()
		tt.change(m)
		all := m.causes(m.rows())
		if got := why(all); got != tt.want || worst(all) != tt.code {
			t.Errorf("%s: %d, %s", tt.name, worst(all), got)
		}
	}
}
