package selftest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/registry"
	"locktorture/simulate/search"
)

// A huntRow is what the searches for one anomaly came to with one strategy.
type huntRow struct {
	hunt
	Strategy string    `json:"strategy"`
	Of       int       `json:"of"`
	Found    int       `json:"found"`
	Trials   []int     `json:"trials,omitempty"` // of those that found it
	CPU      []float64 `json:"cpu,omitempty"`    // s, of all of their processes
	Failed   []string  `json:"failed,omitempty"`
}

// Searches is the table of what torture explore finds, and with how much: each anomaly with
// each strategy. only names backends; none stands for all. A search that takes longer than the
// budget has not found it. What is found is neither cut down nor confirmed. The searches are made one
// after the other: what counts is processor time.
func Searches(only, strategies []string, budget time.Duration) (t Table, err error) {
	var rows []*huntRow
	for _, s := range strategies {
		if _, ok := search.Strategies()[s]; !ok {
			return t, registry.Unknown("strategy", s, search.Strategies())
		}
		all, err := chosen(only, "backend with a known anomaly in virtual time", hunts(), func(h hunt) string { return h.Backend })
		if err != nil {
			return t, err
		}
		for _, h := range all {
			rows = append(rows, &huntRow{hunt: h, Strategy: s})
		}
	}
	return Table{
		title: "table of searches", rows: rowsOf(rows), alone: true, markdown: func(o Options) string { return huntsMarkdown(o, rows, budget) },
		runs: func(o Options) []trial {
			return bySeed(o, rows, func(r *huntRow) []string {
				return append(append([]string{"explore"}, strings.Fields(r.name())...), "--jobs", "1", "--shrink=false", "--confirm", "0", "--budget", budget.String())
			})
		},
	}, nil
}

func (r *huntRow) name() string {
	return strings.Join(append([]string{r.Backend, "--find", strings.Join(r.Anomalies, ","), "--strategy", r.Strategy}, r.Flags...), " ")
}

// add counts a search, and says what it came to.
func (r *huntRow) add(c cell) (keep bool, line string) {
	r.Of++
	switch {
	case c.Failed != "":
		r.Failed = append(r.Failed, fmt.Sprintf("seed %d: %s", c.Seed, c.Failed))
		return true, r.Failed[len(r.Failed)-1]
	case c.Search.Found == nil:
		return false, fmt.Sprintf("not found in %d trials, %.1f CPU s", c.Search.Trials, c.CPU.Seconds())
	}
	r.Found++
	r.Trials, r.CPU = append(r.Trials, c.Search.Found.Trial), append(r.CPU, c.CPU.Seconds())
	return false, fmt.Sprintf("trial %d, %.1f CPU s", c.Search.Found.Trial, c.CPU.Seconds())
}

// code says whether it was found: in 19 of 20 searches.
func (r *huntRow) code() int { return rowCode(len(r.Failed) > 0, 20*r.Found < 19*r.Of) }

// huntsMarkdown is the table.
func huntsMarkdown(o Options, rows []*huntRow, budget time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seeds %d to %d, at most %s each.\n\n", o.Commit, o.Seed, o.Seed+uint64(o.Seeds)-1, budget)
	b.WriteString("| lock, and flags beyond the default | anomaly | strategy | found | trials: median, most | CPU s: median, most |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		found := fmt.Sprintf("%d of %d", r.Found, r.Of)
		if len(r.Failed) > 0 {
			found += fmt.Sprintf(" (%d failed)", len(r.Failed))
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s | %s |\n", strings.Join(append([]string{r.Backend}, r.Flags...), " "),
			strings.Join(r.Anomalies, "` or `"), r.Strategy, found, middle("%d", r.Trials), middle("%.1f", r.CPU))
	}
	b.WriteString("\n")
	return b.String()
}

// middle is the median (nearest rank) and the most of some numbers.
func middle[N int | float64](format string, of []N) string {
	if len(of) == 0 {
		return "–"
	}
	sorted := slices.Sorted(slices.Values(of))
	return fmt.Sprintf(format+", "+format, sorted[(len(sorted)-1)/2], sorted[len(sorted)-1])
}
