package verdict_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/verdict"
)

// Only what was violated in the store without a token check, beside one that checks and is
// correct, is blamed on it.
func TestInControl(t *testing.T) {
	plain, fenced := checker.StoreResult{Store: history.Plain}, checker.StoreResult{Store: history.Fenced, Correct: true}
	broken := fenced
	broken.Correct = false
	in := func(stores ...string) (list []checker.Anomaly) {
		for _, s := range stores {
			list = append(list, checker.Anomaly{Store: s})
		}
		return list
	}
	for _, c := range []struct {
		name     string
		stores   []checker.StoreResult
		property checker.Property
		control  bool
	}{
		{"violated in the control store", []checker.StoreResult{plain, fenced}, checker.Property{Name: checker.Workload, Status: checker.Violated, Anomalies: in(history.Plain, history.Plain)}, true},
		{"no other store", []checker.StoreResult{plain}, checker.Property{Name: checker.Workload, Status: checker.Violated, Anomalies: in(history.Plain)}, false},
		{"behind the fence as well", []checker.StoreResult{plain, broken}, checker.Property{Name: checker.Workload, Status: checker.Violated, Anomalies: in(history.Plain)}, false},
		{"one anomaly behind the fence", []checker.StoreResult{plain, fenced}, checker.Property{Name: checker.Workload, Status: checker.Violated, Anomalies: in(history.Plain, history.Fenced)}, false},
		{"kept", []checker.StoreResult{plain, fenced}, checker.Property{Name: checker.Workload, Status: checker.Kept}, false},
		{"another promise", []checker.StoreResult{plain, fenced}, checker.Property{Name: checker.Exclusion, Status: checker.Violated, Anomalies: in(history.Plain)}, false},
		{"a register of the control store", []checker.StoreResult{plain, fenced}, checker.Property{Name: checker.Linearizability, Status: checker.Violated, Total: 1, Anomalies: in(history.Plain)}, true},
		{"and maybe of the lock", []checker.StoreResult{plain, fenced}, checker.Property{Name: checker.Linearizability, Status: checker.Violated, Total: 2, Anomalies: in(history.Plain)}, false},
	} {
		got := verdict.InControl(checker.Result{Stores: c.stores}, c.property)
		if (got != "") != c.control {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
