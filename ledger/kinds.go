package ledger

import (
	"slices"

	"locktorture/checker"
)

// The kinds of lines.
const (
	Run      = "run"      // torture run, also of a matrix or a selftest
	Scenario = "scenario" // a play of a script
	App      = "app"      // torture app, for a program of apps/
	Finding  = "finding"  // a program of findings/, which shows a failure of a library
	Search   = "search"   // torture explore, for what a lock is known for
	Conform  = "conform"  // whether an object store does what locks on it rest on
	Bench    = "bench"    // what a lock costs
	Sweep    = "sweep"    // what a lock does with one TTL
)

func kinds() []string { return []string{Run, Scenario, App, Finding, Search, Conform, Bench, Sweep} }

// NotInjected is the grade of a run that was refused, because the fault cannot be injected.
const NotInjected = "not injected"

// The grades of the other kinds.
const (
	Shown, NotShown    = "shown", "not shown"
	Found, NotFound    = "found", "not found"
	Conforms, Violates = "conforms", "does not conform"
	Taken              = "measured"
)

// grades returns the grades of a kind, worst first; nil if there is no such kind.
func grades(kind string) []string {
	switch kind {
	case Run, Scenario, App:
		return []string{string(checker.Unsafe), string(checker.FencedG), string(checker.Safe), string(checker.Unknown), NotInjected}
	case Finding:
		return []string{Shown, NotShown}
	case Search:
		return []string{Found, NotFound}
	case Conform:
		return []string{Violates, Conforms, string(checker.Unknown)}
	case Bench, Sweep:
		return []string{Taken}
	}
	return nil
}

// verdicts are the grades of every kind, worst first, but for those that say that there is none.
func verdicts() (list []string) {
	for _, k := range kinds() {
		for _, g := range grades(k) {
			if g != NotInjected && g != string(checker.Unknown) && !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	}
	return list
}
