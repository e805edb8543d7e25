package scorecard

import (
	"fmt"
	"strings"

	"locktorture/report"
)

// Cases turns a matrix into test cases, one for each cell. A cell fails
// if it differs from what was expected of it, or where nothing was expected
// if its verdict is neither safe nor fenced; its message is the witness.
func Cases(rows []Row) []report.Case {
	var out []report.Case
	for _, r := range rows {
		out = append(out, r.testCase())
	}
	return out
}

func (r Row) testCase() report.Case {
	c := report.Case{Class: "matrix." + r.Backend + "." + r.Workload, Name: r.Nemesis}
	for _, t := range r.Tries {
		c.Time += t.Took
	}
	bad := r.worstTry()
	if r.Seeds > 0 {
		c.Out = r.Grades + "; " + incidentsLine(r.Incidents, r.Anomalies)
	}
	kind, witness := bad.witness()
	switch {
	case Broken(r.State), r.State == Refused:
		c.Kind, c.Error = "harness", r.Reason
	case r.Differs != "":
		c.Kind, c.Failure = kind, r.Differs+": "+witness
	case r.Seeds == 0:
		c.Skipped = r.State + ": " + r.Reason
	case r.Expected != "":
	case bad.Exit == 1:
		c.Kind, c.Failure = kind, witness
	case bad.Exit != 0:
		c.Kind, c.Error = kind, bad.Result.Sentence+" "+bad.Result.Reason
	}
	if c.Failure != "" || c.Error != "" {
		c.Detail = fmt.Sprintf("%s\nreproduce: %s\nrun: %s", strings.Join(r.triesLines(), "\n"), bad.Reproduce, bad.Dir)
	}
	return c
}

// worstTry returns the seed that a reader looks at first: one that failed before all others.
func (r Row) worstTry() Try {
	var worst Try
	rank := -2
	for _, t := range r.Tries {
		n := Badness(t.Grade())
		switch {
		case t.Result == nil:
			n = -1
		case t.Result.Failed:
			n += failedFirst
		}
		if n > rank {
			worst, rank = t, n
		}
	}
	return worst
}

// failedFirst is more than any Badness.
const failedFirst = 10

func (r Row) triesLines() []string {
	var out []string
	for _, t := range r.Tries {
		if t.Result != nil {
			out = append(out, fmt.Sprintf("seed %d: %s, %s", t.Seed, t.Grade(), incidentsLine(t.Result.Incidents.Total, t.Result.Counts.Anomalies)))
		} else {
			out = append(out, fmt.Sprintf("seed %d: %s: %s", t.Seed, t.State, t.Reason))
		}
	}
	return out
}

// Reproduce returns the command that runs the seed again that is worth a look.
func (r Row) Reproduce() string { return r.worstTry().Reproduce }
