package matrix

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/scorecard"
)

// judge notes in each row how it differs from what is expected of it. Seeds is
// the number of verdicts that a cell needs; one that is unknown does not count.
func (e Expectations) judge(rows []scorecard.Row, seeds int) {
	if e == nil {
		return
	}
	for i := range rows {
		r := &rows[i]
		r.Expected = e.Of(r.Backend, r.Nemesis, r.Workload)
		r.Differs = differs(r.Expected, *r, seeds)
	}
}

// differs says how a row differs from an expectation; "" if it does not, or
// if it was not run: that is neither.
func differs(expected string, r scorecard.Row, seeds int) string {
	switch {
	case r.State == scorecard.NotRun && r.Seeds == 0, r.State == scorecard.NotServed, scorecard.Broken(r.State), expected == notJudged:
		return ""
	case expected == "" && r.State == scorecard.NotPossible:
		return "nothing is expected of this cell, got " + notPossible
	case expected == "":
		return "nothing is expected of this cell, got " + r.Grades
	case r.State == scorecard.NotPossible && expected != notPossible:
		return fmt.Sprintf("expected %s, but the fault is not possible: %s", expected, r.Reason)
	case r.State == scorecard.NotPossible:
		return ""
	case expected == notPossible:
		return "expected that the fault is not possible, got " + r.Grades
	}
	seen, known := r.Union()
	if known == 0 {
		return fmt.Sprintf("expected %s, got unknown", expected)
	}
	if d := noneOf(expected, seen); d != "" {
		return d
	}
	if asked := min(seeds, len(r.Tries)); known < asked && r.State == scorecard.Tried {
		return fmt.Sprintf("expected %s: %d of %d verdicts are unknown", expected, asked-known, asked)
	}
	return ""
}

// noneOf says how a result differs from all the verdicts that will do; "" if
// it is one of them.
func noneOf(expected string, seen checker.Result) string {
	var of []string // the verdicts of the grade that was seen
	for _, text := range strings.Split(expected, orElse) {
		want, err := checker.ParseExpectation(text)
		if err != nil {
			return err.Error() // the file was checked
		}
		if want.Grade != seen.Grade {
			continue
		}
		d := cmp.Or(want.Differs(seen), beside(want, seen))
		if d == "" {
			return ""
		}
		of = append(of, d)
	}
	if len(of) == 0 {
		return fmt.Sprintf("expected %s, got %s", expected, seen.Grade)
	}
	return fmt.Sprintf("not %s: %s", expected, strings.Join(of, "; "))
}

// beside finds anomalies that a lock which is expected to be safe must not
// have, and that Expectation.Differs does not look at.
func beside(want checker.Expectation, seen checker.Result) string {
	if want.Grade != checker.Safe {
		return ""
	}
	for _, kind := range slices.Sorted(maps.Keys(seen.Counts.Anomalies)) {
		if seen.Counts.Anomalies[kind] > 0 && !slices.Contains(want.Anomalies, kind) {
			return "unexpected " + kind
		}
	}
	return ""
}

// curable reports whether more seeds could bring what was expected: what was
// not seen yet may come, what was seen and must not be stays.
func curable(expected string, r scorecard.Row, seeds int) bool {
	if r.State != scorecard.Tried || differs(expected, r, seeds) == "" {
		return false
	}
	seen, known := r.Union()
	return slices.ContainsFunc(strings.Split(expected, orElse), func(text string) bool {
		want, err := checker.ParseExpectation(text)
		if err != nil || known == 0 {
			return err == nil
		}
		if scorecard.Badness(seen.Grade) > scorecard.Badness(want.Grade) || beside(want, seen) != "" {
			return false
		}
		return want.Unexpected(seen) == "" // what was not expected stays, whatever comes
	})
}

// writeExpectations writes what the rows came to as a file of expectations,
// for a reader who decides whether that is right.
func writeExpectations(w io.Writer, rows []scorecard.Row) error {
	var b bytes.Buffer
	b.WriteString("# What a matrix found, in the form of an expectation. Cells that were not run or are unknown are left out.\n")
	last := [2]string{}
	for _, r := range rows {
		text := notPossible
		if r.State != scorecard.NotPossible {
			seen, known := r.Union()
			if known == 0 {
				continue
			}
			text = checker.Expectation{Grade: seen.Grade, Anomalies: kindsOf(seen)}.String()
		}
		if r.Backend != last[0] {
			fmt.Fprintf(&b, "%s:\n", r.Backend)
		}
		if r.Backend != last[0] || r.Nemesis != last[1] {
			fmt.Fprintf(&b, "  %s:\n", r.Nemesis)
		}
		last = [2]string{r.Backend, r.Nemesis}
		fmt.Fprintf(&b, "    %s: %s\n", r.Workload, text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// kindsOf returns the anomalies of a result in the order of the checker's table.
func kindsOf(r checker.Result) []string {
	var out []string
	for _, k := range checker.Kinds() {
		if r.Counts.Anomalies[k] > 0 {
			out = append(out, k)
		}
	}
	return out
}
