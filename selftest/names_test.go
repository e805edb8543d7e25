package selftest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/locks/mutants"
	"locktorture/registry"
	"locktorture/selftest"
	"locktorture/simulate/inside"
	"locktorture/workloads"
)

// TestSelftestsNameWhatThereIs shows that each run of the tables can be made: its lock, its
// workload and its faults are there.
func TestSelftestsNameWhatThereIs(t *testing.T) {
	hazards, err := selftest.Hazards(nil)
	if err != nil {
		t.Fatal(err)
	}
	broken, err := selftest.Mutants(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]selftest.Table{"hazards": hazards, "mutants": broken, "controls": selftest.Controls(300)} {
		runs := selftest.Commands(table, selftest.Options{Seeds: 1})
		if len(runs) < 30 {
			t.Errorf("%s: only %d runs", name, len(runs))
		}
		for _, args := range runs {
			runnable(t, args)
		}
	}
}

// TestSearchesNameWhatThereIs shows that each search can be made.
func TestSearchesNameWhatThereIs(t *testing.T) {
	table, err := selftest.Searches(nil, []string{"lease", "mixed"}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	runs := selftest.Commands(table, selftest.Options{Seeds: 2})
	if len(runs) != 80 {
		t.Errorf("%d searches", len(runs))
	}
	for _, args := range runs {
		at := func(flag string) string { return args[slices.Index(args, flag)+1] }
		_, onRedis := inside.Locks()[args[1]]
		if _, onEtcd := inside.OnEtcd()[args[1]]; args[0] != "explore" || !onRedis && !onEtcd {
			t.Errorf("%q: no such lock", args)
		}
		for kind := range strings.SplitSeq(at("--find"), ",") {
			if !slices.Contains(checker.Kinds(), kind) {
				t.Errorf("%q: no anomaly %s", args, kind)
			}
		}
	}
	if _, err := selftest.Searches([]string{"redis-set"}, []string{"lease"}, time.Minute); err == nil {
		t.Error("a lock without a known anomaly was taken")
	}
	if _, err := selftest.Searches(nil, []string{"lucky"}, time.Minute); err == nil {
		t.Error("a strategy that there is not was taken")
	}
}

// TestVirtualRunsNameWhatThereIs shows that each search of mutants and controls can be made,
// that mutants which are keys of Redis are played, and that those which cannot be say why.
func TestVirtualRunsNameWhatThereIs(t *testing.T) {
	broken, err := selftest.VirtualMutants(nil, 10)
	if err != nil {
		t.Fatal(err)
	}
	controls := selftest.VirtualControls(1010)
	for _, what := range []struct {
		table selftest.Table
		least int
	}{{broken, 35}, {controls, 21}} {
		runs := selftest.Commands(what.table, selftest.Options{Seeds: 1})
		if len(runs) < what.least {
			t.Errorf("only %d searches", len(runs))
		}
		for _, args := range runs {
			l, ok := inside.Find(args[1])
			if args[0] != "explore" || !ok {
				t.Errorf("%q: no such lock", args)
			}
			if i := slices.Index(args, "--workload"); i >= 0 {
				if _, ok := workloads.InMemory()[args[i+1]]; !ok || registry.Workloads()[args[i+1]].Cannot(l.Traits) != "" {
					t.Errorf("%q: no such workload", args)
				}
			}
		}
	}
	if _, err := selftest.VirtualMutants([]string{"plain-delet"}, 10); err == nil || !strings.Contains(err.Error(), "plain-delete") {
		t.Errorf("%v, want the mutant that was meant", err)
	}
}

// runnable checks the names that the arguments of a run have.
func runnable(t *testing.T, args []string) {
	t.Helper()
	flag := func(name, usual string) string {
		if i := slices.Index(args, name); i >= 0 {
			return args[i+1]
		}
		return usual
	}
	if _, ok := registry.Find(flag("--backend", ""), registry.Locks()); !ok {
		t.Errorf("%q: no such backend", args)
	}
	if _, ok := registry.Workloads()[flag("--workload", "counter")]; !ok {
		t.Errorf("%q: no such workload", args)
	}
	for f := range strings.SplitSeq(flag("--nemesis", "none"), ",") {
		if _, ok := registry.Nemeses()[f]; !ok && f != "none" {
			t.Errorf("%q: no nemesis %s", args, f)
		}
	}
}

// Every mutant and every twin can be opened, no two have one name, and none is in the list of
// backends.
func TestMutantBackends(t *testing.T) {
	all := registry.Mutants()
	if want := len(mutants.Mutants()) + len(mutants.Families()); len(all) != want {
		t.Errorf("%d backends of %d mutants and twins", len(all), want)
	}
	for name := range all {
		if _, ok := registry.Locks()[name]; ok {
			t.Errorf("%s is in the list of backends", name)
		}
	}
	var seen []mutants.Switch
	for _, m := range mutants.Mutants() {
		if slices.Contains(seen, m.Switch) || m.Switch == "" {
			t.Errorf("the switch %q is there twice", m.Switch)
		}
		seen = append(seen, m.Switch)
		if _, ok := mutants.Families()[m.Family]; !ok {
			t.Errorf("%s is of the family %q, which has no twin", m.Switch, m.Family)
		}
		for _, kind := range append([]string{m.Anomaly}, m.Or...) {
			if !slices.Contains(checker.Kinds(), kind) {
				t.Errorf("%s must be named %q, which is no anomaly", m.Switch, kind)
			}
		}
	}
}
