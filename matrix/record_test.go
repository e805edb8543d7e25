package matrix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/registry"
	"locktorture/report/scorecard"
)

// TestMeasured: what is written of some runs is what a file of expectations says, and agrees
// with these runs.
func TestMeasured(t *testing.T) {
	choice := func(any string) string { return "{any: [" + any + `], why: "` + Unexplained + `"}` }
	other := func(state string) scorecard.Try { return scorecard.Try{State: state} }
	for _, tt := range []struct {
		name  string
		tries []scorecard.Try
		want  string // "": it is not written
	}{
		{"safe", []scorecard.Try{graded(1, checker.Safe)}, "safe"},
		{"each time the same", []scorecard.Try{graded(1, checker.Safe), graded(2, checker.Safe)}, "safe"},
		{"beside safe everything is named", []scorecard.Try{graded(1, checker.Safe, "nonlinearizable", "orphan")}, "safe+orphan+nonlinearizable"},
		{"of what the grade rests on one is named", []scorecard.Try{graded(1, checker.Unsafe, "lost-update", "overrun", "double-grant")}, "unsafe+double-grant"},
		{"one that all have", []scorecard.Try{graded(1, checker.Unsafe, "overrun", "double-grant"), graded(2, checker.Unsafe, "overrun")}, "unsafe+overrun"},
		{"what stands beside is named", []scorecard.Try{graded(1, checker.Unsafe, "overrun", "deadlock")}, "unsafe+overrun+deadlock"},
		{"it varies, the hazard first", []scorecard.Try{graded(1, checker.Safe), graded(2, checker.Unsafe, "overrun"), graded(3, checker.Safe)},
			choice("unsafe+overrun, safe")},
		{"both at once would be as expected, too", []scorecard.Try{graded(1, checker.Safe, "deadlock"), graded(2, checker.Unsafe, "overrun")},
			choice("unsafe+overrun, safe+deadlock, unsafe+overrun+deadlock")},
		{"a lock that breaks its promise in some runs", []scorecard.Try{broken(graded(1, checker.FencedG, "double-grant", "overrun")), graded(2, checker.FencedG, "overrun")},
			choice("fenced+double-grant, fenced+overrun")},
		{"unknown does not count", []scorecard.Try{graded(1, checker.Unknown), graded(2, checker.Safe)}, "safe"},
		{"unknown alone", []scorecard.Try{graded(1, checker.Unknown)}, ""},
		{"not possible", []scorecard.Try{other(scorecard.NotPossible), other(scorecard.NotPossible)}, "n/a"},
		{"a run is missing", []scorecard.Try{graded(1, checker.Safe), other(scorecard.NotRun)}, "safe"},
		{"none was made", []scorecard.Try{other(scorecard.NotRun)}, ""},
		{"the harness failed", []scorecard.Try{graded(1, checker.Safe), other(scorecard.HarnessFailed)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.tries {
				tt.tries[i].Backend, tt.tries[i].Nemesis, tt.tries[i].Workload = "none", "pause", "counter"
			}
			row := scorecard.Rows(tt.tries)[0]
			line, ok := measured(row)
			if line != tt.want || ok != (tt.want != "") {
				t.Fatalf("%q, %v; want %q", line, ok, tt.want)
			}
			if !ok {
				return
			}
			text, err := addRows("e.yaml", []byte("local:\n  none: safe\n"), map[[2]string]string{{"none", "pause"}: line})
			if err != nil {
				t.Fatal(err)
			}
			e, err := ParseExpectations("e.yaml", text, []string{"local", "none"})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if d := differs(e.Of("none", "pause", "counter"), row, 1); d != "" {
				t.Errorf("%s: what was measured is not what is expected: %s", line, d)
			}
		})
	}
}

// broken says that the lock broke its promise.
func broken(t scorecard.Try) scorecard.Try {
	t.Result.BrokenBy = checker.TheLock
	return t
}

// TestAddRows: rows come where they belong, and every other line stays as it is.
func TestAddRows(t *testing.T) {
	const before = `# The head.
local:
  none: safe  # it says
  # why pause is so
  pause:
    counter: safe
    seckill: safe
# about redis-set
redis-set:
  none: safe
  restart: {any: [unsafe+double-grant, safe], why: "it varies"}
`
	const after = `# The head.
consul:
  none: new
  clock: new
local:
  none: safe  # it says
  clock: new
  # why pause is so
  pause:
    counter: safe
    seckill: safe
  restart: new
none:
  pause: new
# about redis-set
redis-set:
  none: safe
  restart: {any: [unsafe+double-grant, safe], why: "it varies"}
zookeeper:
  none: new
`
	rows := map[[2]string]string{}
	for _, row := range []string{
		"consul none", "consul clock", "local clock", "local none", "local restart", "local pause", "none pause", "redis-set restart", "zookeeper none",
	} {
		backend, nemesis, _ := strings.Cut(row, " ")
		rows[[2]string{backend, nemesis}] = "new"
	}
	for name, text := range map[string]string{"whole": before, "without its last line feed": strings.TrimSuffix(before, "\n")} {
		got, err := addRows("e.yaml", []byte(text), rows)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(after, string(got)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestRecordedCells: only what the file lacks is run, each cell with all of its seeds before
// the next.
func TestRecordedCells(t *testing.T) {
	e, err := ParseExpectations("e.yaml", []byte("local:\n  none: safe\nnone:\n  pause: n/a\n"), []string{"local", "none"})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Locks: registry.Locks(), Backends: []string{"local", "none"}, Nemeses: []string{"none", "pause"}, Workloads: []string{"counter"}, Seeds: 2, Seed: 1, Record: "e.yaml", Expected: e}
	var got []tryKey
	for _, try := range c.plan() {
		got = append(got, keyOf(try))
	}
	want := []tryKey{{"local", "pause", "counter", 1}, {"local", "pause", "counter", 2}, {"none", "none", "counter", 1}, {"none", "none", "counter", 2}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(tryKey{})); diff != "" || !c.Lacking() {
		t.Error(diff)
	}
}
