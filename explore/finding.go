package explore

import (
	"context"

	"locktorture/simulate/search"
)

// A Finding is a trial that breaks the lock, with what was made of it.
type Finding struct {
	*search.Shrunk                   // what is left of it
	search.Robustness                // in other worlds
	Number            int            // of the trial in its search, from 1; 0: it was given
	Causes            []search.Cause // what each fault has to do with it
}

// Found is what a search found; nil if it found nothing.
func Found(f *search.Finding) *Finding {
	if f == nil {
		return nil
	}
	return &Finding{Shrunk: &search.Shrunk{Outcome: f.Outcome, Mechanism: f.Mechanism}, Number: f.Number}
}

// Given is the first of the anomalies of the kinds that a trial shows; nil if it shows none. None of the
// kinds are all of which the lock can be accused.
func Given(o *search.Outcome, find []string) *Finding {
	all := search.Accused(o.Result, find)
	if len(all) == 0 {
		return nil
	}
	return Found(&search.Finding{Outcome: o, Mechanism: search.MechanismOf(o, all[0])})
}

// Why tells what each fault has to do with the finding, as far as that was tried.
func (f *Finding) Why() string { return search.Why(f.Trial, f.Causes, f.Robustness) }

// Shrink cuts a finding down in so many runs at the most, and reports whether there was time for
// that: a finding outlives the context of its search, and is kept as it is.
func (l *Lab) Shrink(ctx context.Context, f *Finding, runs int, loads []search.Load) (bool, error) {
	small, err := search.Shrink(ctx, l.Arenas[0], search.Trial{Order: f.Trial.Order, Schedule: f.Struck}, f.Mechanism, runs, loads)
	if err != nil {
		return false, unlessOver(ctx, err)
	}
	f.Shrunk = small
	return true, nil
}

// Explain tries each fault that is left, as far as there is time.
func (l *Lab) Explain(ctx context.Context, f *Finding) (err error) {
	f.Causes, err = search.Causes(ctx, l.Arenas[0], f.Shrunk)
	return unlessOver(ctx, err)
}

// TryOthers plays the finding in so many other worlds, as far as there is time.
func (l *Lab) TryOthers(ctx context.Context, f *Finding, worlds int) (err error) {
	f.Robustness, err = search.Robust(ctx, l.Arenas[0], f.Trial, f.Mechanism, worlds)
	return unlessOver(ctx, err)
}

// unlessOver drops an error that says only that the context has ended.
func unlessOver(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
