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
func (f *finding) noVerdict(r trialResult) string {
	f.Of++
	if r.Failed == "" {
		return ""
	}
	f.Failed = append(f.Failed, fmt.Sprintf("seed %d: %s", r.Seed, r.Failed))
	return "no verdict: " + r.Failed
}

// look looks for one of some anomalies in a run that has a verdict, and says what to show of
// it; otherwise is what is shown where there is none of them.
func (f *finding) look(r trialResult, otherwise string, kinds ...string) (keep bool, line string) {
	at, kind, ok := r.first(kinds...)
	if !ok {
		f.Instead = append(f.Instead, fmt.Sprintf("seed %d: %s", r.Seed, seenIn(r.Result)))
		return true, fmt.Sprintf("NOT FOUND (%s): %s", otherwise, r.Dir)
	}
	f.Found++
	f.First = append(f.First, at)
	return false, fmt.Sprintf("%s after %s", kind, at.Round(time.Millisecond))
}

// bySeed are the runs of all rows: each row's first seed comes before any second.
func bySeed[R any](o Options, rows []R, run func(R) trial) (all []trial) {
	for _, seed := range o.seeds() {
		for _, row := range rows {
			t := run(row)
			t.Seed = seed
			all = append(all, t)
		}
	}
	return all
}
