package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/internal/exit"
	"locktorture/registry"
)

// HazardDuration should do for every hazard: a default run is twice as long.
const HazardDuration = 15 * time.Second

// A hazardTally collects what was found of each hazard.
type hazardTally struct{ all []*hazardRow }

// A hazardRow is what the runs of one hazard came to.
type hazardRow struct {
	hazard
	Of      int             `json:"of"`
	Found   int             `json:"found"`
	First   []time.Duration `json:"first_ns,omitempty"`
	Instead []string        `json:"instead,omitempty"` // what was seen of the runs that did not show it
	Failed  []string        `json:"failed,omitempty"`  // runs without a verdict
}

// Hazards is the table of locks under the faults that break them. only names
// backends; none stands for all. The error is that of a name that there is not.
func Hazards(only []string) (Table, error) {
	known := map[string]bool{}
	t := &hazardTally{}
	for _, h := range hazards() {
		known[h.Backend] = true
		if len(only) == 0 || slices.Contains(only, h.Backend) {
			t.all = append(t.all, &hazardRow{hazard: h})
		}
	}
	for _, name := range only {
		if !known[name] {
			return nil, registry.Unknown("backend with a known hazard", name, known)
		}
	}
	return t, nil
}

func (t *hazardTally) section() section { return section{"table of hazards"} }
func (t *hazardTally) rows() []any      { return anys(t.all) }

func (t *hazardTally) play(ctx context.Context, r runner) {
	r.trials(ctx, t.runs(r.Options), t.add)
}

// runs are those of all rows: each row's first seed comes before any second.
func (t *hazardTally) runs(o Options) (all []trial) {
	for _, seed := range o.seeds() {
		for _, r := range t.all {
			all = append(all, trial{Name: r.name(), Args: r.args(), Seed: seed})
		}
	}
	return all
}

// add counts a run, and says what to show of it.
func (t *hazardTally) add(r trialResult) (keep bool, line string) {
	row := t.all[slices.IndexFunc(t.all, func(h *hazardRow) bool { return h.name() == r.Name })]
	row.Of++
	if r.Failed != "" {
		row.Failed = append(row.Failed, fmt.Sprintf("seed %d: %s", r.Seed, r.Failed))
		return true, "no verdict: " + r.Failed
	}
	at, kind, ok := r.first(row.Anomalies...)
	if !ok {
		row.Instead = append(row.Instead, fmt.Sprintf("seed %d: %s", r.Seed, seenIn(r.Result)))
		return true, fmt.Sprintf("NOT FOUND (%s): %s", seenIn(r.Result), r.Dir)
	}
	row.Found++
	row.First = append(row.First, at)
	return false, fmt.Sprintf("%s after %s", kind, at.Round(time.Millisecond))
}

// code is the worst of the table. A hazard counts as shown with at least 19 of 20 runs.
func (t *hazardTally) code() int {
	code := exit.OK
	for _, r := range t.all {
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exit.Harness)
		case r.Found == 0 || r.Luck == "" && 20*r.Found < 19*r.Of:
			code = exit.Worse(code, exit.Violated)
		}
	}
	return code
}

// markdown is the table.
func (t *hazardTally) markdown(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seeds %d to %d, %s each, %d runs at a time.\n\n", o.Commit, o.Seed, o.Seed+uint64(o.Seeds)-1, o.Duration, o.Jobs)
	b.WriteString("| backend | fault, and flags beyond the default | why it breaks | must be named | found | first after: median, p95 |\n|---|---|---|---|---|---|\n")
	for _, r := range t.all {
		found := fmt.Sprintf("%d of %d", r.Found, r.Of)
		if len(r.Failed) > 0 {
			found += fmt.Sprintf(" (%d without a verdict)", len(r.Failed))
		}
		if r.Luck != "" {
			found += ": " + r.Luck
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | `%s` | %s | %s |\n", r.Backend, strings.Join(r.args()[2:], " "), r.Why,
			strings.Join(r.Anomalies, "` or `"), found, quantileCell(r.First))
	}
	b.WriteString("\n")
	return b.String()
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
