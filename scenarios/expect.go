//go:build !wasip1 && !simulated

package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
)

// Falls reports whether the case shows the hazard, a violation.
func (c Case) Falls() bool {
	e, err := checker.ParseExpectation(c.Expect)
	return err != nil || e.Grade != checker.Safe || len(e.Anomalies) > 0
}

// Missed reports whether the race in a library was lost: the hazard did not show in this play.
func (c Case) Missed(r checker.Result) bool {
	return c.Race != "" && r.Grade == checker.Safe && len(r.Counts.Anomalies) == 0
}

// Differs describes the difference between the result and the expectation of the case, or returns
// "".
func (c Case) Differs(r checker.Result, p Played) string {
	if p.Stuck != "" {
		return "the script could not go on: " + p.Stuck
	}
	if c.Missed(r) {
		return ""
	}
	e, err := checker.ParseExpectation(c.Expect)
	if err != nil {
		return err.Error()
	}
	if d := e.Differs(r); d != "" {
		return d
	}
	if len(c.Either) > 0 && !slices.ContainsFunc(c.Either, func(k string) bool { return r.Counts.Anomalies[k] > 0 }) {
		return "expected " + strings.Join(c.Either, " or ") + ", none was found"
	}
	if c.Expect == string(checker.Safe) || e.Grade == checker.FencedG {
		for _, p := range r.Properties {
			if p.Name == checker.Linearizability && p.Total > 0 {
				return "unexpected nonlinearizable"
			}
		}
	}
	for _, n := range c.Never {
		if r.Counts.Anomalies[n] > 0 {
			return "unexpected " + n
		}
	}
	for _, f := range c.Facts {
		if !slices.Contains(p.Facts, f) {
			return fmt.Sprintf("not seen: %s", f)
		}
	}
	return ""
}
