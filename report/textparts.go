package report

import (
	"fmt"

	"locktorture/checker"
)

func (p *printer) properties(res checker.Result) {
	p.linef("")
	for _, prop := range res.Properties {
		line := fmt.Sprintf("%-15s  %s", word(prop.Name), p.mark(statusMark(prop.Status), word(prop.Status)))
		if prop.Total > 0 {
			line += ", " + plural(prop.Total, "anomaly", "anomalies")
		}
		if prop.Reason != "" {
			line += ": " + sentence(prop.Reason)
		}
		p.linef("%s", line)
		for _, k := range kinds(res, prop) {
			p.linef("  %s ×%s  %s", word(k.Kind), count(k.Total), sentence(k.First.Sentence))
		}
	}
	p.linef("")
}

func (p *printer) faults(res checker.Result) {
	for _, f := range res.Faults {
		line := fmt.Sprintf("fault     %s struck %s, bit %s", word(f.Nemesis), times(f.Injected), times(f.Bit))
		if f.Rule != "" {
			line += " (a bite: " + sentence(f.Rule) + ")"
		}
		p.linef("%s", line)
	}
}

func (p *printer) stores(res checker.Result) {
	for _, s := range res.Stores {
		p.linef("store     %s", storeLine(s))
	}
}

func (p *printer) counts(res checker.Result) {
	p.linef("seen      %s", countsLine(res.Counts))
}

func (p *printer) measures(m checker.Measures) {
	for _, q := range measured(m) {
		if q.Of.N > 0 {
			p.linef("measured  %-12s p50 %s, p90 %s, p99 %s, max %s (%s)", q.Name,
				span(q.Of.P50), span(q.Of.P90), span(q.Of.P99), span(q.Of.Max), count(q.Of.N))
		}
	}
	p.linef("measured  %s grants a second, fairness %s (Jain's index, 1 is even), %s out of order",
		figures(m.GrantRate), figures(m.Jain), count(m.OutOfOrder))
}
