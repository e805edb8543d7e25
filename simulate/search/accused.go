package search

import (
	"slices"

	"locktorture/checker"
)

// overrun is what a holder does that goes on after its lease is over. No lock can prevent it.
const overrun = "overrun"

// Accused are the anomalies that are looked for: those of the kinds, or, if there are none,
// all that are the lock's: an overrun is not, nor is what became of the store.
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

// Kinds are the kinds of these anomalies, each once.
func Kinds(r checker.Result, kinds []string) (all []string) {
	for _, a := range Accused(r, kinds) {
		if !slices.Contains(all, a.Kind) {
			all = append(all, a.Kind)
		}
	}
	return all
}
