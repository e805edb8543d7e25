package simulate_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/trial"
)

// try plays an order as a trial.
func try(t *testing.T, p *machine.Program, o inside.Order, lines ...string) (*trial.Outcome, *simulate.Act) {
	t.Helper()
	cfg, act, err := simulate.Trial(trial.Config{
		Base: t.TempDir(), Called: o.Backend,
		Options:   checker.Options{Workload: o.Workload, MinGrants: 5, Timeout: minute, Memory: 1 << 30},
		Invariant: invariant.PerKey{Invariant: invariant.Counter{}},
	}, o, p)
	must(t, err)
	act.Schedule, act.Servers = parsed(t, lines...), servers(t, o.Backend)
	out, err := trial.Run(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() { must(t, out.Close()) })
	must(t, out.Failure)
	return out, act
}

// Every lock that can be simulated works without faults, and is flagged for nothing.
func TestLocksWithoutFaults(t *testing.T) {
	p := guest(t)
	for _, backend := range slices.Sorted(maps.Keys(inside.Locks())) {
		t.Run(backend, func(t *testing.T) {
			out, _ := try(t, p, order(backend, 3))
			r := out.Result
			t.Logf("%s, %d grants: %s", r.Grade, r.Counts.Grants, r.Sentence)
			if r.Failed || r.Harness || len(r.Counts.Anomalies) > 0 || r.Grade == checker.Unsafe {
				t.Errorf("%s: %s %s %v", r.Grade, r.Sentence, r.Reason, r.Counts.Anomalies)
			}
			if r.Counts.Grants < 5 || r.Ended != "" {
				t.Errorf("%d grants, ended early: %q", r.Counts.Grants, r.Ended)
			}
		})
	}
}

// A run in virtual time leaves a run directory as every run does, which can be judged again.
func TestReported(t *testing.T) {
	out, _ := try(t, guest(t), order("redis-fenced", 1))
	must(t, out.Write())
	for _, name := range []string{"run.json", "history.jsonl", "result.json", "junit.xml", "report.html"} {
		if info, err := os.Stat(filepath.Join(out.Dir.Path, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	run, again, _, err := trial.Again(out.Dir.Path, "", func(string) checker.Invariant { return invariant.PerKey{Invariant: invariant.Counter{}} })
	must(t, err)
	if again.Grade != out.Result.Grade || again.Counts.Grants != out.Result.Counts.Grants {
		t.Errorf("judged again: %s with %d grants, before %s with %d", again.Grade, again.Counts.Grants, out.Result.Grade, out.Result.Counts.Grants)
	}
	if run.Provisioner != simulate.Name || len(run.Nodes) != 1 || run.Fencing != "both" || len(run.Versions) != 2 {
		t.Errorf("run.json: %+v", run)
	}
}
