package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/scorecard"
)

// Unexplained stands where a person has to say why the runs of a cell differ.
const Unexplained = "say here what makes one run differ from the next"

// An outcome is what some runs of a cell came to: the same grade, and the same anomalies that
// an expectation has to name.
type outcome struct {
	grade    checker.Grade
	brokenBy checker.Breaker
	needed   []string   // named, or the run is not as expected
	main     [][]string // of each run, what its grade rests on, the gravest first
}

// text returns the verdict as an expectation. Of what the grade rests on it names one anomaly,
// which all of these runs have.
func (o outcome) text() string {
	words := []string{string(o.grade)}
	for _, kind := range o.main[0] {
		if !slices.ContainsFunc(o.main, func(kinds []string) bool { return !slices.Contains(kinds, kind) }) {
			words = append(words, kind)
			break
		}
	}
	return strings.Join(append(words, o.needed...), "+")
}

// outcomeOf says what one run came to.
func outcomeOf(r checker.Result) outcome {
	o := outcome{grade: r.Grade, brokenBy: r.BrokenBy, main: [][]string{nil}}
	if r.Grade == checker.Safe {
		o.needed = kindsOf(r)
		return o
	}
	of := map[string][]string{}
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			if !slices.Contains(of[p.Name], a.Kind) {
				of[p.Name] = append(of[p.Name], a.Kind)
			}
		}
	}
	for _, kind := range kindsOf(r) {
		if slices.Contains(of[checker.Ownership], kind) || slices.Contains(of[checker.Liveness], kind) {
			o.needed = append(o.needed, kind)
		}
	}
	for _, property := range []string{checker.Fencing, checker.Exclusion, checker.Workload} {
		if len(o.main[0]) == 0 {
			o.main[0] = inOrder(of[property])
		}
	}
	return o
}

// inOrder puts kinds in the order of the checker's table, which begins with the gravest.
func inOrder(kinds []string) []string {
	return slices.DeleteFunc(checker.Kinds(), func(k string) bool { return !slices.Contains(kinds, k) })
}

// outcomes sums up the runs of a row that have a grade: what they came to, the worst first,
// and how many came to that.
func outcomes(r scorecard.Row) (all []outcome) {
	for _, t := range r.Tries {
		if t.State != scorecard.Tried || t.Grade() == checker.Unknown {
			continue
		}
		o := outcomeOf(*t.Result)
		i := slices.IndexFunc(all, func(a outcome) bool {
			return a.grade == o.grade && a.brokenBy == o.brokenBy && slices.Equal(a.needed, o.needed)
		})
		if i < 0 {
			all = append(all, o)
		} else {
			all[i].main = append(all[i].main, o.main...)
		}
	}
	slices.SortStableFunc(all, func(a, b outcome) int {
		return cmp.Or(scorecard.Badness(b.grade)-scorecard.Badness(a.grade), len(b.needed)-len(a.needed))
	})
	return all
}

// measured returns what a row came to as it stands in a file of expectations; ok is false if it
// has no verdict, or one of its runs failed. Runs that were not made do not count.
func measured(r scorecard.Row) (line string, ok bool) {
	if r.State == scorecard.NotPossible {
		return notPossible, true
	}
	all := outcomes(r)
	if r.State != scorecard.Tried || len(all) == 0 {
		return "", false
	}
	seen, _ := r.Union()
	var texts []string
	for _, o := range all {
		texts = append(texts, o.text())
	}
	texts = Unique(texts)
	if noneOf(strings.Join(texts, orElse), seen) != "" { // one run may come to what several came to
		texts = append(texts, outcomeOf(seen).text())
	}
	if len(texts) == 1 {
		return texts[0], true
	}
	return fmt.Sprintf("{any: [%s], why: %q}", strings.Join(texts, ", "), Unexplained), true
}
