package report

import (
	"fmt"

	"locktorture/checker"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

func (p *printer) properties(res checker.Result) {
	p.linef("")
	for _, prop := range res.Properties {
		line := fmt.Sprintf("%-15s  %s", words.Word(prop.Name), p.mark(statusMark(prop.Status), words.Word(prop.Status)))
		if prop.Total > 0 {
			line += ", " + words.Plural(prop.Total, "anomaly", "anomalies")
		}
		if prop.Reason != "" {
			line += ": " + words.Sentence(prop.Reason)
		}
		p.linef("%s", line)
		for _, k := range verdict.Kinds(res, prop) {
			p.linef("  %s ×%s  %s", words.Word(k.Kind), words.Count(k.Total), words.Sentence(k.First.Sentence))
		}
	}
	p.linef("")
}

func (p *printer) faults(res checker.Result) {
	for _, f := range res.Faults {
		line := fmt.Sprintf("fault     %s struck %s, bit %s", words.Word(f.Nemesis), verdict.Times(f.Injected), verdict.Times(f.Bit))
		if f.Rule != "" {
			line += " (a bite: " + words.Sentence(f.Rule) + ")"
		}
		p.linef("%s", line)
	}
}

func (p *printer) stores(res checker.Result) {
	for _, s := range res.Stores {
		p.linef("store     %s", verdict.StoreLine(s))
	}
}

func (p *printer) counts(res checker.Result) {
	p.linef("seen      %s", verdict.CountsLine(res.Counts))
}

func (p *printer) measures(m checker.Measures) {
	for _, q := range verdict.Measures(m) {
		if q.Of.N > 0 {
			p.linef("measured  %-12s p50 %s, p90 %s, p99 %s, max %s (%s)", q.Name,
				words.Span(q.Of.P50), words.Span(q.Of.P90), words.Span(q.Of.P99), words.Span(q.Of.Max), words.Count(q.Of.N))
		}
	}
	p.linef("measured  %s grants a second, fairness %s (Jain's index, 1 is even), %s out of order",
		words.Figures(m.GrantRate), words.Figures(m.Jain), words.Count(m.OutOfOrder))
	if m.Bypasses > 0 {
		p.linef("measured  %s grants to readers before a writer that had called earlier", words.Count(m.Bypasses))
	}
}
