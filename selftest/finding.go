package selftest

import (
	"fmt"
	"time"
)

// A finding says in how many runs of a row what must be named was named.
type finding struct {
	Of      int             `json:"of"`
	Found   int             `json:"found"`
	First   []time.Duration `json:"first_ns,omitempty"` // when it was first seen, for each run that found it
	Instead []string        `json:"instead,omitempty"`  // what was seen of the runs that did not
	Failed  []string        `json:"failed,omitempty"`   // runs without a verdict
}

// noVerdict counts a run. It says so if that has no verdict, else "".
func (f *finding) noVerdict(c cell) string {
	f.Of++
	if c.Failed == "" {
		return ""
	}
	f.Failed = append(f.Failed, fmt.Sprintf("seed %d: %s", c.Seed, c.Failed))
	return "no verdict: " + c.Failed
}

// look looks for one of some anomalies in a run that has a verdict, and says what to show of
// it; otherwise is what is shown where there is none of them.
func (f *finding) look(c cell, otherwise string, kinds ...string) (keep bool, line string) {
	at, kind, ok := first(c.Result, kinds...)
	if !ok {
		f.Instead = append(f.Instead, fmt.Sprintf("seed %d: %s", c.Seed, seenIn(c.Result)))
		return true, fmt.Sprintf("NOT FOUND (%s): %s", otherwise, c.Dir)
	}
	f.Found++
	f.First = append(f.First, at)
	return false, fmt.Sprintf("%s after %s", kind, at.Round(time.Millisecond))
}

// failed says how many runs came to no verdict; "" if all did.
func (f *finding) failed() string {
	if len(f.Failed) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d without a verdict)", len(f.Failed))
}

// bySeed are the runs of all rows: each row's first seed comes before any second.
func bySeed[R row](o Options, rows []R, args func(R) []string) (all []trial) {
	for _, seed := range o.seeds() {
		for _, r := range rows {
			all = append(all, trial{Row: r.name(), Args: args(r), Seed: seed})
		}
	}
	return all
}
