package selftest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktorture/internal/exit"
	"locktorture/internal/self"
	"locktorture/registry"
	"locktorture/simulate/search"
)

// A huntTally collects what searches came to.
type huntTally struct {
	all    []*huntRow
	budget time.Duration
}

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
// budget has not found it.
func Searches(only, strategies []string, budget time.Duration) (Table, error) {
	known := map[string]bool{}
	t := &huntTally{budget: budget}
	for _, s := range strategies {
		if _, ok := search.Strategies()[s]; !ok {
			return nil, registry.Unknown("strategy", s, search.Strategies())
		}
		for _, h := range hunts() {
			known[h.Backend] = true
			if len(only) == 0 || slices.Contains(only, h.Backend) {
				t.all = append(t.all, &huntRow{hunt: h, Strategy: s})
			}
		}
	}
	for _, name := range only {
		if !known[name] {
			return nil, registry.Unknown("backend with a known anomaly in virtual time", name, known)
		}
	}
	return t, nil
}

func (t *huntTally) section() section { return section{"table of searches"} }
func (t *huntTally) rows() []any      { return anys(t.all) }

func (r *huntRow) name() string {
	return strings.Join(append([]string{r.Backend, "--find", strings.Join(r.Anomalies, ","), "--strategy", r.Strategy}, r.Flags...), " ")
}

// runs are all searches. What is found is neither cut down nor confirmed.
func (t *huntTally) runs(o Options) []trial {
	return bySeed(o, t.all, func(r *huntRow) trial {
		args := append([]string{"explore"}, strings.Fields(r.name())...)
		return trial{Name: r.name(), Args: append(args, "--json", "--quiet", "--jobs", "1", "--shrink=false", "--confirm", "0",
			"--budget", t.budget.String(), "--dir", filepath.Join(o.Out, "runs"))}
	})
}

// Searched are the arguments of torture for each search of a table, in order.
func Searched(t Table, o Options) (all [][]string) {
	for _, one := range t.runs(o) {
		all = append(all, searched(one))
	}
	return all
}

func searched(t trial) []string {
	return append(slices.Clone(t.Args), "--seed", strconv.FormatUint(t.Seed, 10))
}

// play makes the searches one after the other: what counts is processor time.
func (t *huntTally) play(ctx context.Context, r runner) {
	all := t.runs(r.Options)
	for i, one := range all {
		row := t.all[slices.IndexFunc(t.all, func(h *huntRow) bool { return h.name() == one.Name })]
		line := row.try(ctx, one, r.Keep)
		if ctx.Err() != nil {
			return
		}
		if !r.Quiet {
			fmt.Fprintf(r.progress, "%d/%d %s, seed %d: %s\n", i+1, len(all), one.Name, one.Seed, line)
		}
	}
}

// try makes one search, and says what it came to.
func (r *huntRow) try(ctx context.Context, t trial, keep bool) string {
	said, took, err := look(ctx, searched(t))
	if ctx.Err() != nil {
		return ""
	}
	r.Of++
	switch {
	case err != nil:
		r.Failed = append(r.Failed, fmt.Sprintf("seed %d: %v", t.Seed, err))
		return r.Failed[len(r.Failed)-1]
	case said.Found == nil:
		return fmt.Sprintf("not found in %d trials, %.1f CPU s", said.Trials, took.Seconds())
	}
	r.Found++
	r.Trials, r.CPU = append(r.Trials, said.Found.Trial), append(r.CPU, took.Seconds())
	if !keep {
		_ = os.RemoveAll(said.Found.Dir)
	}
	return fmt.Sprintf("trial %d, %.1f CPU s", said.Found.Trial, took.Seconds())
}

// look makes a search, by the arguments of torture, and returns its report and its processor
// time.
func look(ctx context.Context, args []string) (said search.Report, took time.Duration, err error) {
	stdout, stderr, code, took, err := self.Timed(ctx, os.Environ(), args)
	if err != nil || json.Unmarshal(stdout, &said) != nil {
		return said, took, fmt.Errorf("exit code %d: %s", code, self.LastLine(stderr))
	}
	return said, took, nil
}

// code is the worst of the table: each must be found in 19 of 20 searches.
func (t *huntTally) code() int {
	code := exit.OK
	for _, r := range t.all {
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exit.Harness)
		case 20*r.Found < 19*r.Of:
			code = exit.Worse(code, exit.Violated)
		}
	}
	return code
}

// markdown is the table.
func (t *huntTally) markdown(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seeds %d to %d, at most %s each.\n\n", o.Commit, o.Seed, o.Seed+uint64(o.Seeds)-1, t.budget)
	b.WriteString("| lock, and flags beyond the default | anomaly | strategy | found | trials: median, most | CPU s: median, most |\n|---|---|---|---|---|---|\n")
	for _, r := range t.all {
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
