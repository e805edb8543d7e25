package report

import (
	"fmt"
	"regexp"

	"locktorture/checker"
)

// cards are the figures that a reader wants next to the verdict.
func cards(res checker.Result) []card {
	total := 0
	for _, p := range res.Properties {
		total += p.Total
	}
	c := res.Counts
	out := []card{
		{"anomalies", count(total), mood(total == 0)},
		{"grants", count(c.Grants), ""},
		{"faults that bit", fmt.Sprintf("%s of %s", count(c.Bites), count(c.Faults)), ""},
	}
	for _, s := range res.Stores {
		if s.Of > 0 {
			out = append(out, card{"lost, " + word(s.Store) + " store", fmt.Sprintf("%s of %s %s", count(s.Lost), count(s.Of), word(s.LossUnit)), mood(s.Correct)})
		}
	}
	out = append(out, card{"acquire p99", span(res.Measures.Acquire.P99), ""}, card{"grants a second", figures(res.Measures.GrantRate), ""})
	for i := range out {
		out[i].Value = unbroken(out[i].Value)
	}
	return out
}

func mood(fine bool) string {
	if fine {
		return "good"
	}
	return "bad"
}

var grouping = regexp.MustCompile(`(\d) (\d)`)

// unbroken keeps the groups of a long number on one line.
func unbroken(s string) string { return grouping.ReplaceAllString(s, "$1\u202f$2") }
