package page

import (
	"fmt"

	"locktorture/checker"
	"locktorture/report"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// cards returns the figures that a reader wants next to the verdict.
func cards(run report.Run, res checker.Result) []Card {
	total := 0
	for _, p := range res.Properties {
		total += p.Total
	}
	c := res.Counts
	out := []Card{
		{"incidents", words.Count(res.Incidents.Total), mood(res.Incidents.Total == 0)},
		{"anomalies", words.Count(total), mood(total == 0)},
		{"grants", words.Count(c.Grants), ""},
	}
	if run.Scenario == "" {
		out = append(out, Card{"faults that took effect", fmt.Sprintf("%s of %s", words.Count(c.Bites), words.Count(c.Faults)), ""})
	}
	for _, s := range res.Stores {
		if s.Of > 0 {
			name := words.Word(s.Store)
			if verdict.Control(res, s) {
				name = "control"
			}
			out = append(out, Card{"lost, " + name + " store", fmt.Sprintf("%s of %s %s", words.Count(s.Lost), words.Count(s.Of), words.Word(s.LossUnit)), mood(s.Correct)})
		}
	}
	if run.Scenario != "" { // a script is too short for rates
		return out
	}
	out = append(out, Card{"acquire p99", words.Span(res.Measures.Acquire.P99), ""}, Card{"grants a second", words.Figures(res.Measures.GrantRate), ""})
	return out
}

func mood(fine bool) string {
	if fine {
		return "good"
	}
	return "bad"
}
