package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear/jepsen"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/export"
	"locktorture/report/internal/sample"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// corpus returns the histories that the checker's tests keep, of real runs of all kinds of
// locks and faults.
func corpus(t *testing.T) map[string]history.History {
	t.Helper()
	files, err := filepath.Glob("../../checker/testdata/*.jsonl.gz")
	if err != nil || len(files) < 39 {
		t.Fatalf("%d histories in the corpus: %v", len(files), err)
	}
	all := map[string]history.History{"sample": sample.Broken().History()}
	for _, name := range files {
		h, _, err := history.ReadFile(name)
		must(t, err)
		all[strings.TrimSuffix(filepath.Base(name), ".jsonl.gz")] = h
	}
	return all
}

// What was exported as EDN has the same entries, so whoever judges it comes to the same
// verdict.
func TestEDN(t *testing.T) {
	for name, h := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			want := report.Run{Name: name, Backend: "a \"lock\"\\\n\x01\u2028", Seed: 1<<64 - 1}
			must(t, export.EDN(&b, want, h))
			if !jepsen.IsOurs(bytes.NewReader(b.Bytes())) {
				t.Error("it is not known as one of ours")
			}
			run, again, cut, err := jepsen.ReadOurs(bytes.NewReader(b.Bytes()))
			must(t, err)
			var got report.Run
			must(t, json.Unmarshal(run, &got))
			if d := cmp.Diff(want, got); d != "" || cut {
				t.Errorf("run (cut off: %v): %s", cut, d)
			}
			if a, b := lines(h), lines(again); !slices.Equal(a, b) {
				t.Error(cmp.Diff(a, b))
			}
		})
	}
}

func lines(h history.History) []string {
	out := make([]string, len(h))
	for i := range h {
		out[i] = string(h[i].AppendJSON(nil))
	}
	return out
}

// A trace has every fault, every grant and every operation.
func TestPerfetto(t *testing.T) {
	for name, h := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			must(t, export.Perfetto(&b, report.Run{Backend: "</script>"}, h, nil))
			var trace struct {
				TraceEvents []struct {
					Name, Ph, Cat, ID string
					TS, Dur           float64
				}
			}
			must(t, json.Unmarshal(b.Bytes(), &trace))
			count := map[string]int{}
			open := map[string]bool{}
			for _, e := range trace.TraceEvents {
				switch {
				case e.Ph == "X" && e.Cat != "stall":
					count["operations"]++
				case e.Ph == "b":
					count[e.Cat]++
					open[e.ID] = true
				case e.Ph == "e" && !open[e.ID]:
					t.Errorf("%s ends and has not begun", e.ID)
				case e.Ph == "e":
					delete(open, e.ID)
				}
				if e.TS < 0 || e.Dur < 0 {
					t.Errorf("%+v", e)
				}
			}
			if len(open) > 0 {
				t.Errorf("without an end: %v", open)
			}
			want := map[string]int{"operations": len(history.Pair(h))}
			for _, op := range h {
				switch {
				case op.F == history.Fault && op.Type == history.Info:
					want["fault"]++
				case op.F == history.Acquire && op.Type == history.OK, op.F == history.Try && op.Type == history.OK:
					want["lease"]++
				}
			}
			if d := cmp.Diff(want, count); d != "" {
				t.Error(d)
			}
		})
	}
}

// A table has a row for each operation and each event, and nothing in it is a formula.
func TestCSV(t *testing.T) {
	for name, h := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			must(t, export.CSV(&b, h))
			table, err := csv.NewReader(&b).ReadAll()
			must(t, err)
			events := 0
			for _, op := range h {
				if op.F.Event() {
					events++
				}
			}
			if want := 1 + len(history.Pair(h)) + events; len(table) != want {
				t.Errorf("%d rows, want %d", len(table), want)
			}
		})
	}
	h := history.History{{Process: 0, Client: 1, Type: history.Invoke, F: history.Acquire, Lock: "=1+1"}, {Time: 1_500_000_000, Process: history.Harness, Type: history.Info, F: history.End, Value: history.Complete}}
	var b bytes.Buffer
	must(t, export.CSV(&b, h))
	table, err := csv.NewReader(&b).ReadAll()
	must(t, err)
	at := func(row int, column string) string { return table[row][slices.Index(table[0], column)] }
	if got := []string{at(1, "result"), at(2, "lock"), at(2, "result"), at(2, "end_s"), at(2, "duration_ms")}; !slices.Equal(got, []string{"event", "'=1+1", "open", "1.500000000", "1500.000000"}) {
		t.Errorf("%q", got)
	}
}

// A writer that fails ends each of them with its error.
func TestWriterFails(t *testing.T) {
	h := corpus(t)["etcd-faults"]
	for name, err := range map[string]error{
		"edn": export.EDN(full{}, report.Run{}, h), "perfetto": export.Perfetto(full{}, report.Run{}, h, nil), "csv": export.CSV(full{}, h),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestCrashEndsLeases: the lease of a client that was killed ends with its crash, whatever
// process number the client had when it was granted.
func TestCrashEndsLeases(t *testing.T) {
	op := func(at int64, process int, typ history.Type, f history.F, lease int64) history.Op {
		return history.Op{Time: at, Client: 1, Process: process, Type: typ, F: f, Lock: "L", Lease: lease}
	}
	h := history.History{
		op(1000, 1, history.Invoke, history.Acquire, 0), op(2000, 1, history.OK, history.Acquire, 7), op(3000, 1, history.Invoke, history.Renew, 7), op(4000, 1, history.Info, history.Renew, 7),
		op(5000, 2, history.Info, history.Crash, 0), op(9000, 3, history.Invoke, history.Acquire, 0),
	}
	var b bytes.Buffer
	must(t, export.Perfetto(&b, report.Run{}, h, nil))
	if want := `"ph":"e","ts":5.000`; !strings.Contains(b.String(), want) {
		t.Errorf("no %s in %s", want, b.String())
	}
}
