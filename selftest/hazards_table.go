package selftest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// HazardDuration should do for every hazard: a default run is twice as long.
const HazardDuration = 15 * time.Second

// A hazardRow is what the runs of one hazard came to.
type hazardRow struct {
	hazard
	finding
}

// Hazards is the table of locks under the faults that break them. only names
// backends; without names all are played. It returns an error for a name that is unknown.
func Hazards(only []string) (t Table, err error) {
	all, err := chosen(only, "backend with a known hazard", hazards(), func(h hazard) string { return h.Backend })
	if err != nil {
		return t, err
	}
	var rows []*hazardRow
	for _, h := range all {
		rows = append(rows, &hazardRow{hazard: h})
	}
	return Table{
		title: "table of hazards", rows: rowsOf(rows), markdown: func(o Options) string { return hazardsMarkdown(o, rows) },
		runs: func(o Options) []trial {
			return bySeed(o, rows, func(r *hazardRow) []string { return o.runArgs(r.args()...) })
		},
	}, nil
}

// add counts a run, and says what to show of it.
func (r *hazardRow) add(c cell) (keep bool, line string) {
	if why := r.noVerdict(c); why != "" {
		return true, why
	}
	return r.look(c, seenIn(c.Result), r.Anomalies...)
}

// code says whether the hazard was shown: by at least 19 of 20 runs.
func (r *hazardRow) code() int {
	return rowCode(len(r.Failed) > 0, r.Found == 0 || r.Luck == "" && 20*r.Found < 19*r.Of)
}

// hazardsMarkdown is the table.
func hazardsMarkdown(o Options, rows []*hazardRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seeds %d to %d, %s each, %d runs at a time.\n\n", o.Commit, o.Seed, o.Seed+uint64(o.Seeds)-1, o.Duration, o.Jobs)
	b.WriteString("| backend | fault, and flags beyond the default | why it breaks | must be named | found | first after: median, p95 |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		found := fmt.Sprintf("%d of %d", r.Found, r.Of) + r.failed()
		if r.Luck != "" {
			found += ": " + r.Luck
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | `%s` | %s | %s |\n", r.Backend, strings.Join(r.args()[2:], " "), r.Why,
			strings.Join(r.Anomalies, "` or `"), found, quantileCell(r.First))
	}
	return b.String() + "\n"
}

// quantileCell is the median and the 95th percentile (nearest rank) of some times.
func quantileCell(times []time.Duration) string {
	if len(times) == 0 {
		return "–"
	}
	sorted := slices.Sorted(slices.Values(times))
	at := func(percent int) string {
		return fmt.Sprintf("%.1f s", sorted[(percent*len(sorted)+99)/100-1].Seconds())
	}
	return at(50) + ", " + at(95)
}
