package incident

import (
	"strings"
	"testing"

	"locktorture/history"
	"locktorture/timeline"
)

// TestKeptWitnesses: ten of a kind are kept, and of each further incident the first, up to a
// number; all are counted.
func TestKeptWitnesses(t *testing.T) {
	kept := func(incidents, each int) (kept, counted, shown int) {
		f := NewFindings(NewBook(&timeline.Run{}, someKinds()))
		for i := range incidents {
			for range each {
				f.Put(told("overrun", 10, int64(i+1)), 10, 2)
			}
		}
		return len(f.Kept["overrun"]), f.Counts["overrun"], len(f.Shown("overrun"))
	}
	one, counted, shown := kept(1, Witnesses+1)
	ten, _, _ := kept(Witnesses/2, 3)
	many, _, most := kept(Candidates+1, 1)
	check(t, []border{
		{"of one incident", one, Witnesses}, {"counted", counted, 2 * (Witnesses + 1)}, {"shown of it", shown, 1},
		{"of five, three of each", ten, Witnesses + 1}, {"of many", many, Candidates}, {"shown of many", most, Witnesses},
	})
}

// TestFirsts: the witness of an incident is its first anomaly; that a lock's history fits no
// order is one where there is nothing else.
func TestFirsts(t *testing.T) {
	first := func(list ...Anomaly) string {
		f := NewFindings(NewBook(&timeline.Run{}, someKinds()))
		for _, a := range list {
			f.Put(a, a.Time, 1)
		}
		f.Book.chains.resolve(0, 99)
		var kinds []string
		for _, c := range f.Book.chains.roots() {
			kinds = append(kinds, f.firsts()[c].Kind)
		}
		return strings.Join(kinds, " ")
	}
	grant, overrun, token := told("double-grant", 20, 1, 2), told("overrun", 30, 1), told("token-regression", 10, 2)
	whole := told("nonlinearizable", 5)
	check(t, []border{
		{"the first of one kind", first(grant, overrun), "double-grant"}, {"the first was found last", first(grant, token), "token-regression"},
		{"at one time", first(grant, told("overrun", 20, 1)), "double-grant"}, {"no order", first(whole), "nonlinearizable"},
		{"no order, and more", first(whole, grant), "double-grant"}, {"of a key", first(told("nonlinearizable", 5, 1).in(history.Plain), grant), "nonlinearizable"},
		{"a key of no order is no whole lock", first(told("nonlinearizable", 25, 1).in(history.Plain), grant), "double-grant"},
	})
}

// TestFaultClause: the last two faults that were in place, and how many were before them.
func TestFaultClause(t *testing.T) {
	clause := func(property string, n int) string {
		a := Anomaly{Property: property, Time: 3e9}
		for i := range n {
			op := history.Op{F: history.Fault, Key: "clock", Time: int64(i+1) * 1e9}
			if i == 0 {
				op.Node, op.Value = "n1", "2 s ahead"
			}
			a.Faults = append(a.Faults, op)
		}
		return a.faultClause()
	}
	check(t, []border{
		{"none", clause(Exclusion, 0), ""}, {"one", clause(Exclusion, 1), "; fault meanwhile: clock of n1 at 1.000 s (2 s ahead)"},
		{"two", clause(Exclusion, 2), "; faults meanwhile: clock of n1 at 1.000 s (2 s ahead), clock at 2.000 s"},
		{"three", clause(Exclusion, 3), "; faults meanwhile: 1 earlier, clock at 2.000 s, clock at 3.000 s"},
		{"of liveness", clause(Liveness, 1), "; faults nearby in time: clock of n1 at 1.000 s (2 s ahead)"},
	})
}

// TestFaultSince: what was seen after the anomaly is not told as if it had been there before.
func TestFaultSince(t *testing.T) {
	told := func(began, seen int64) string {
		f := history.Op{F: history.Fault, Time: seen}
		f.SetBegan(began)
		return since(&f, 5e9)
	}
	check(t, []border{
		{"seen in time", told(0, 5e9), "at 5.000 s"}, {"begun in time too", told(4e9, 5e9), "at 5.000 s"},
		{"begun in time, seen after it", told(5e9, 6e9), "from 5.000 s"}, {"seen after it", told(0, 6e9), "seen at 6.000 s"},
		{"both after it", told(5e9+1, 6e9), "seen at 6.000 s"},
	})
}
