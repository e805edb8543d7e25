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
	finding
}

// Hazards is the table of locks under the faults that break them. only names
// backends; without names all are played. It returns an error for a name that is unknown.
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

func (t *hazardTally) runs(o Options) []trial {
	return bySeed(o, t.all, func(r *hazardRow) trial { return trial{Name: r.name(), Args: r.args()} })
}

// add counts a run, and says what to show of it.
func (t *hazardTally) add(r trialResult) (keep bool, line string) {
	row := t.all[slices.IndexFunc(t.all, func(h *hazardRow) bool { return h.name() == r.Name })]
	if why := row.noVerdict(r); why != "" {
		return true, why
	}
	return row.look(r, seenIn(r.Result), row.Anomalies...)
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
