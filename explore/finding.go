package explore

import (
	"context"

	"locktorture/simulate/search"
)

// A Finding is a trial that breaks the lock, with its analysis.
type Finding struct {
	*search.Shrunk                   // the reduced trial
	search.Robustness                // share of other worlds that show it
	Number            int            // number of the trial in its search, from 1; 0 if the trial was given
	Causes            []search.Cause // the part of each fault in the finding
}

// Found returns the finding of a search, or nil if the search found none.
func Found(f *search.Finding) *Finding {
	if f == nil {
		return nil
	}
	return &Finding{Shrunk: &search.Shrunk{Outcome: f.Outcome, Mechanism: f.Mechanism}, Number: f.Number}
}

// Given returns the first of a trial's anomalies of these kinds, or nil if it shows none. Without
// kinds, it considers all anomalies that are the lock's fault.
func Given(o *search.Outcome, find []string) *Finding {
	all := search.Accused(o.Result, find)
	if len(all) == 0 {
		return nil
	}
	return Found(&search.Finding{Outcome: o, Mechanism: search.MechanismOf(o, all[0])})
}

// Why describes the part of each fault in the finding, as far as it was tried.
func (f *Finding) Why() string { return search.Why(f.Trial, f.Causes, f.Robustness) }

// Shrink reduces a finding in at most this number of runs, and reports whether there was time for
// that. A finding outlives the context of its search: if the time is over, it is kept unreduced.
func (l *Lab) Shrink(ctx context.Context, f *Finding, runs int, loads []search.Load) (bool, error) {
	small, err := search.Shrink(ctx, l.Arenas[0], search.Trial{Order: f.Trial.Order, Schedule: f.Struck}, f.Mechanism, runs, loads)
	if err != nil {
		return false, unlessOver(ctx, err)
	}
	f.Shrunk = small
	return true, nil
}

// Explain tries each remaining fault, as far as there is time.
func (l *Lab) Explain(ctx context.Context, f *Finding) (err error) {
	f.Causes, err = search.Causes(ctx, l.Arenas[0], f.Shrunk)
	return unlessOver(ctx, err)
}

// TryOthers plays the finding in this number of other worlds, as far as there is time.
func (l *Lab) TryOthers(ctx context.Context, f *Finding, worlds int) (err error) {
	f.Robustness, err = search.Robust(ctx, l.Arenas[0], f.Trial, f.Mechanism, worlds)
	return unlessOver(ctx, err)
}

// unlessOver drops an error that reports only the end of the context.
func unlessOver(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
