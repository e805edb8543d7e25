package report

import (
	"fmt"
	"strings"

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

// A kind is the anomalies of one kind within a property.
type kind struct {
	Kind  string
	Total int // found; at least the number of those listed
	First checker.Anomaly
}

// kinds groups the anomalies of a property in the order of their first ones.
func kinds(res checker.Result, prop checker.Property) []kind {
	var out []kind
	index := map[string]int{}
	for _, a := range prop.Anomalies {
		i, seen := index[a.Kind]
		if !seen {
			i = len(out)
			index[a.Kind] = i
			out = append(out, kind{Kind: a.Kind, First: a})
		}
		out[i].Total++
	}
	for i := range out {
		out[i].Total = max(out[i].Total, res.Counts.Anomalies[out[i].Kind])
	}
	return out
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

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return count(n) + " times"
}

func (p *printer) stores(res checker.Result) {
	for _, s := range res.Stores {
		p.linef("store     %s", storeLine(s))
	}
}

// storeLine says in a line what became of a store.
func storeLine(s checker.StoreResult) string {
	state := "correct"
	if !s.Correct {
		state = "corrupted"
	}
	parts := []string{word(s.Store) + " " + state}
	if s.Of > 0 {
		unit := s.LossUnit
		if unit == "" {
			unit = "operations"
		}
		parts = append(parts, fmt.Sprintf("lost %s of %s %s (%s)", count(s.Lost), count(s.Of), word(unit), percent(s.Loss)))
	}
	if s.Note != "" {
		parts = append(parts, word(s.Note))
	}
	parts = append(parts, plural(s.Reads, "read", "reads"), plural(s.Writes, "write", "writes"))
	if s.Refused > 0 {
		parts = append(parts, count(s.Refused)+" refused as stale")
	}
	return strings.Join(parts, ", ")
}

func (p *printer) counts(res checker.Result) {
	p.linef("seen      %s", countsLine(res.Counts))
}

func countsLine(c checker.Counts) string {
	return strings.Join([]string{
		plural(c.Ops, "operation", "operations"), plural(c.Grants, "grant", "grants"),
		count(c.Refused) + " refused", count(c.Unknown) + " of unknown outcome",
		plural(c.Crashes, "crash", "crashes"), plural(c.Processes, "process", "processes"),
		plural(c.Faults, "fault", "faults"), plural(c.Bites, "bite", "bites"),
		"in " + span(c.Duration),
	}, ", ")
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

// A measure is a sample with its name and what it means.
type measure struct {
	Name, Meaning string
	Of            checker.Quantiles
}

func measured(m checker.Measures) []measure {
	return []measure{
		{"acquire", "from the call of an acquire to its grant", m.Acquire},
		{"hold", "from a grant to the call of its release", m.Hold},
		{"release", "the release call", m.Release},
		{"recovery", "from a fault to the next grant", m.Recovery},
		{"notice lag", "from another client's grant to the moment at which the holder was told of its loss", m.NoticeLag},
	}
}
