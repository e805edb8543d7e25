package scorecard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// A claimLine is a claim next to what was measured.
type claimLine struct {
	Family, Aspect, Says string
	Measured             []finding
}

// claims puts what was measured next to what comparison tables claim. A
// family of which nothing was run is left out.
func (c Card) claims() []claimLine {
	var out []claimLine
	for _, claim := range c.Claims {
		var names []string
		for _, l := range c.Locks {
			if l.Family == claim.Family {
				names = append(names, l.Name)
			}
		}
		var rows []Row
		for _, r := range c.Rows {
			if slices.Contains(names, r.Backend) && r.Seeds > 0 {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			out = append(out, claimLine{claim.Family, claim.Aspect, claim.Says, aspects[claim.Aspect](rows)})
		}
	}
	return out
}

// aspects say what was measured of each aspect of a family.
var aspects = map[string]func([]Row) []finding{
	"consistency": consistency, "performance": performance, "reliability": reliability, "automatic expiry": expiry,
}

// consistency is in how many cells exclusion was violated, for each lock that did.
func consistency(rows []Row) []finding {
	var out, broke []finding
	clean, all := 0, 0
	for _, name := range backendsOf(rows) {
		var bad, fenced []string
		link, fencedLink := "", ""
		for _, r := range rowsOf(rows, name) {
			switch {
			case r.Grade == checker.Unsafe:
				bad, link = with(bad, r.Nemesis), cmp.Or(link, reportOf(r.Dir))
			case verdict.ByLock(r.Grade, r.BrokenBy):
				fenced, fencedLink = with(fenced, r.Nemesis), cmp.Or(fencedLink, reportOf(r.Dir))
			}
		}
		if len(fenced) > 0 {
			broke = append(broke, finding{Text: words.Word(name) + ": broke its promise and was fenced under " + strings.Join(fenced, ", "), Link: fencedLink, Class: "unsafe"})
		}
		if all++; len(bad) == 0 {
			clean++
			continue
		}
		out = append(out, finding{Text: words.Word(name) + ": unsafe under " + strings.Join(bad, ", "), Link: link, Class: "unsafe"})
	}
	return append([]finding{{Text: fmt.Sprintf("%d of %s never found unsafe (%s)", clean, words.Plural(all, "lock", "locks"), words.Plural(len(triesOf(rows, func(Try) bool { return true })), "run", "runs"))}}, append(out, broke...)...)
}

func backendsOf(rows []Row) []string {
	var out []string
	for _, r := range rows {
		out = with(out, r.Backend)
	}
	return out
}

// performance returns the rate of grants and the latency without faults, of the slowest and the
// fastest lock.
func performance(rows []Row) []finding {
	var calm []Row
	for _, r := range rows {
		if r.Nemesis == "none" {
			calm = append(calm, r)
		}
	}
	if len(calm) == 0 {
		return []finding{{Text: "not measured: no run without faults"}}
	}
	slices.SortFunc(calm, func(a, b Row) int { return int(a.GrantRate - b.GrantRate) })
	line := func(r Row) finding {
		return finding{Text: fmt.Sprintf("%s: %s grants/s, acquire p50 %s, p99 %s (%s)", words.Word(r.Backend), words.Figures(r.GrantRate), words.Span(r.P50), words.Span(r.P99), words.Word(r.Workload)+"; "+conditions(triesOf([]Row{r}, func(Try) bool { return true }))), Link: reportOf(r.Dir)}
	}
	if len(calm) == 1 {
		return []finding{line(calm[0])}
	}
	return []finding{line(calm[len(calm)-1]), line(calm[0])}
}

// conditions returns what figures of some runs depend on: how many they are of, how many
// clients there were, and the machine.
func conditions(tries []Try) string {
	var clients, cores []string
	least, most := 0.0, 0.0
	for _, t := range tries {
		if i := slices.Index(t.Args, "--clients"); i >= 0 && i+1 < len(t.Args) {
			clients = with(clients, words.Word(t.Args[i+1]))
		}
		if t.Cores == 0 {
			continue
		}
		cores = with(cores, fmt.Sprint(t.Cores))
		if least == 0 || t.Load < least {
			least = t.Load
		}
		most = max(most, t.Load)
	}
	out := words.Plural(len(tries), "run", "runs")
	if len(clients) > 0 {
		out += ", " + strings.Join(clients, " or ") + " clients"
	}
	switch {
	case len(cores) == 0:
		return out + ", cores and load not recorded"
	case least == most:
		return fmt.Sprintf("%s, %s cores, load %s", out, strings.Join(cores, " or "), words.Figures(most))
	}
	return fmt.Sprintf("%s, %s cores, load %s to %s", out, strings.Join(cores, " or "), words.Figures(least), words.Figures(most))
}

// reliability is which locks were stuck, and how long the next grant took after a fault.
func reliability(rows []Row) []finding {
	out := besides(rows, func(Row) bool { return true })
	struck := triesOf(rows, func(t Try) bool { return t.Nemesis != "none" })
	recovery := quantiles(struck, func(m checker.Measures) checker.Quantiles { return m.Recovery })
	if recovery.Text != nothing {
		out = append(out, finding{Text: "from a fault to the next grant: p50 / worst p99 " + recovery.Text + " (" + conditions(struck) + ")"})
	}
	return out
}

// expiry returns what became of the locks of clients that died.
func expiry(rows []Row) []finding {
	killed := func(r Row) bool { return slices.ContainsFunc(r.Tries, Try.kills) }
	if !slices.ContainsFunc(rows, killed) {
		return []finding{{Text: "not measured: no run with kill-client"}}
	}
	out := besides(rows, killed)
	deaths := triesOf(rows, Try.kills)
	recovery := quantiles(deaths, func(m checker.Measures) checker.Quantiles { return m.Recovery })
	return append(out, finding{Text: "from the death of a holder to the next grant: p50 / worst p99 " + recovery.Text + " (" + conditions(deaths) + ")"})
}

// besides lists, for each lock, the liveness and ownership anomalies of the
// rows that are wanted, and the faults under which they were seen.
func besides(rows []Row, want func(Row) bool) []finding {
	var out []finding
	for _, name := range backendsOf(rows) {
		var kinds, faults []string
		link := ""
		for _, r := range rowsOf(rows, name) {
			if found := besideKinds(r); want(r) && found != "" {
				kinds, faults = with(kinds, found), with(faults, words.Word(r.Nemesis))
				if link == "" {
					link = reportOf(r.Dir)
				}
			}
		}
		if len(kinds) > 0 {
			out = append(out, finding{Text: fmt.Sprintf("%s: %s under %s", words.Word(name), strings.Join(kinds, ", "), strings.Join(faults, ", ")), Link: link, Class: "unsafe"})
		}
	}
	if len(out) == 0 {
		out = append(out, finding{Text: "no lock was stuck or orphaned, and none was released by another client"})
	}
	return out
}

// A trendLine is the last nights of a lock.
type trendLine struct {
	Name   string
	Nights []trendCell
}

// A trendCell is one night of a lock.
type trendCell struct{ Grade, Text string }

// nights returns the last runs of every lock in the trend, one column for each night.
func (c Card) nights() (lines []trendLine, days []string) {
	const shown = 7
	for _, p := range c.Trend {
		days = with(days, p.Night)
	}
	slices.Sort(days)
	days = days[max(0, len(days)-shown):]
	for _, l := range c.Locks {
		line := trendLine{Name: l.Name, Nights: make([]trendCell, len(days))}
		seen := false
		for _, n := range nights(c.Trend, l.Name, shown) {
			if i := slices.Index(days, n.Night); i >= 0 {
				line.Nights[i], seen = nightCell(n), true
			}
		}
		if seen {
			lines = append(lines, line)
		}
	}
	return lines, days
}

func nightCell(n night) trendCell {
	text := fmt.Sprintf("%s, %s", n.Grade, words.Plural(n.Cells, "run", "runs"))
	if n.First >= 0 {
		text += ", first anomaly after " + words.Span(n.First)
	}
	if n.Rate > 0 {
		text += ", " + words.Figures(n.Rate) + " grants/s"
	}
	return trendCell{Grade: words.Word(string(n.Grade)), Text: text}
}
