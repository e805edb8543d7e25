package search

import (
	"slices"

	"locktorture/checker"
)

// overrun is the anomaly of a holder that goes on after its lease has ended. No lock can prevent
// it.
const overrun = "overrun"

// Accused returns the anomalies that the search looks for: those of the given kinds, or, without
// kinds, all that the lock is responsible for. These exclude overruns and anomalies of the store.
func Accused(r checker.Result, kinds []string) (all []checker.Anomaly) {
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			locks := a.Property != checker.Workload && a.Kind != overrun
			if slices.Contains(kinds, a.Kind) || len(kinds) == 0 && locks {
				all = append(all, a)
			}
		}
	}
	return all
}

// Kinds returns the kinds of the accused anomalies, each once.
func Kinds(r checker.Result, kinds []string) (all []string) {
	for _, a := range Accused(r, kinds) {
		if !slices.Contains(all, a.Kind) {
			all = append(all, a.Kind)
		}
	}
	return all
}
