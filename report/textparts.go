package report

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// Bounds of the list of incidents: the rest stands in the report.
const (
	incidentsShown = 4
	linesShown     = 7
)

// incidents writes the first incident of each cause, then the first of all, and of as many as
// there is room for their witness.
func (p *printer) incidents(res checker.Result) {
	if len(res.Incidents.List) == 0 {
		return
	}
	p.line("")
	shown := firstIncidents(res.Incidents.List)
	lines := 0
	for n, i := range shown {
		head := fmt.Sprintf("%2d  %-12s%-17s", i.Number, verdict.Lasted(i), i.PutDownTo().Name())
		text := verdict.Briefly(i.Anomalies)
		if cost := verdict.Cost(i); cost != "" {
			text += "; " + cost + " lost"
		}
		heads := words.Wrap(head, text, p.Width)
		witness := words.Wrap("    ", words.Sentence(i.Witness.Plain()), p.Width)
		if lines += len(heads); lines+len(witness)+len(shown)-n-1 <= linesShown || n == 0 {
			heads, lines = append(heads, witness...), lines+len(witness)
		}
		for _, line := range heads {
			p.line(line)
		}
	}
	if more := res.Incidents.Total - len(shown); more > 0 {
		p.line("    " + words.Plural(more, "more incident", "more incidents") + " in the report")
	}
}

// firstIncidents returns the first of each cause, and as many others as are shown, in the order
// of their times.
func firstIncidents(all []checker.Incident) []checker.Incident {
	var shown []checker.Incident
	seen := map[checker.IncidentCause]bool{}
	for _, again := range []bool{false, true} {
		for _, i := range all {
			if c := i.PutDownTo(); len(shown) < incidentsShown && seen[c] == again && !slices.ContainsFunc(shown, func(s checker.Incident) bool { return s.Number == i.Number }) {
				seen[c] = true
				shown = append(shown, i)
			}
		}
	}
	slices.SortFunc(shown, func(a, b checker.Incident) int { return a.Number - b.Number })
	return shown
}

// lost says what became of the stores.
func (p *printer) lost(res checker.Result) {
	for _, s := range res.Stores {
		p.fact("lost", verdict.Lost(s, verdict.Control(res, s)))
	}
}

// promises writes them on one line: which were kept, broken, not seen, and which the lock
// never made.
func (p *printer) promises(res checker.Result) {
	signs := map[string]struct{ sign, code string }{
		checker.Kept: {"✓", good}, checker.Violated: {"✗", bad}, checker.NotChecked: {"?", warn}, checker.NotApplicable: {"–", faint},
	}
	var parts []string
	width := 0
	for _, prop := range res.Properties {
		s := signs[prop.Status]
		name := words.Word(prop.Name)
		if width += len(name) + 4; width-2 > p.Width {
			p.line(strings.Join(parts, "  "))
			parts, width = nil, len(name)+4
		}
		parts = append(parts, p.mark(s.code, s.sign+" "+name))
	}
	if len(parts) > 0 {
		p.line(strings.Join(parts, "  "))
	}
	for _, prop := range res.Properties {
		if prop.Status == checker.NotChecked && prop.Reason != "" && !strings.Contains(res.Reason, prop.Reason) {
			p.wrapped("  ? ", words.Word(prop.Name)+": "+words.Sentence(prop.Reason))
		}
		if where := verdict.InControl(res, prop); where != "" {
			p.wrapped("  ✗ ", words.Word(prop.Name)+": "+where)
		}
	}
	if found := verdict.Found(res.Counts.Anomalies); found != "" {
		parts := strings.Split(found, ", ")
		for i := range parts {
			parts[i] = words.Together(parts[i])
		}
		p.fact("found", strings.Join(parts, ", "))
	}
}

// coverage says what the verdict rests on.
func (p *printer) coverage(run Run, res checker.Result) {
	c := res.Counts
	text := fmt.Sprintf("%s, %s", words.Plural(c.Grants, "grant", "grants"), words.Plural(c.Ops, "operation", "operations"))
	if run.Options.IsApp() {
		text = words.Plural(c.Grants, "run of a job", "runs of jobs")
	}
	if len(res.Faults) == 0 && run.Scenario == "" {
		text += "; no faults"
	}
	var parts []string
	for _, f := range res.Faults {
		part := fmt.Sprintf("%s %s/%s", words.Word(f.Nemesis), words.Count(f.Bit), words.Count(f.Injected))
		if f.Waiting > 0 {
			part += fmt.Sprintf(" (%s waiting)", words.Count(f.Waiting))
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 {
		text += "; effective: " + strings.Join(parts, ", ")
	}
	p.fact("coverage", text)
	if res.Bound != "" && c.Bites > 0 {
		p.fact("bound", words.Sentence(res.Bound))
	}
}

// ttl says what the run tells of the time to live of the leases.
func (p *printer) ttl(run Run, res checker.Result) {
	if text := verdict.TTL(res.Measures, run.TTL); text != "" && run.Scenario == "" && run.Options.Expires {
		p.fact("ttl "+words.Span(int64(run.TTL)), text)
	}
}
