package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
)

var hazardTable = section{"table of hazards"}

// hazardDuration should do for every hazard: a default run is twice as long.
const hazardDuration = 15 * time.Second

func newSelftestHazards() *cobra.Command {
	s := selftestSpec{Duration: hazardDuration}
	var only []string
	cmd := &cobra.Command{
		Use:   "hazards",
		Short: "run every lock under the fault that it is known for",
		Long: `Each lock is run under the fault that breaks it, on real servers, with the default flags and for
15 s. Its anomaly must be named in every seed. Measure on a machine that does nothing else.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.hazards(cmd, only) },
	}
	s.register(cmd.Flags())
	cmd.Flags().StringSliceVar(&only, "only", nil, "the hazards of these backends only")
	return cmd
}

// hazards runs the table and shows it.
func (s *selftestSpec) hazards(cmd *cobra.Command, only []string) error {
	t, err := newHazardTally(only)
	if err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	if err := hazardTable.check(s.Markdown); err != nil {
		return err
	}
	s.trials(cmd.Context(), cmd.ErrOrStderr(), t.trials(s.seeds()), t.add)
	if err := t.show(cmd.OutOrStdout(), s); err != nil {
		return broken(err)
	}
	if cmd.Context().Err() != nil {
		return exit.Silent(exitInterrupted)
	}
	if err := hazardTable.write(s.Markdown, t.markdown(s)); err != nil {
		return err
	}
	if code := t.code(); code != exitOK {
		return exit.Silent(code)
	}
	return nil
}

// A hazardTally collects what was found of each hazard.
type hazardTally struct{ rows []*hazardRow }

// A hazardRow is what the runs of one hazard came to.
type hazardRow struct {
	hazard
	Of      int             `json:"of"`
	Found   int             `json:"found"`
	First   []time.Duration `json:"first_ns,omitempty"`
	Instead []string        `json:"instead,omitempty"` // what was seen of the runs that did not show it
	Failed  []string        `json:"failed,omitempty"`  // runs without a verdict
}

func newHazardTally(only []string) (*hazardTally, error) {
	known := map[string]bool{}
	t := &hazardTally{}
	for _, h := range hazards() {
		known[h.Backend] = true
		if len(only) == 0 || slices.Contains(only, h.Backend) {
			t.rows = append(t.rows, &hazardRow{hazard: h})
		}
	}
	for _, name := range only {
		if !known[name] {
			return nil, unknownName("backend with a known hazard", name, known)
		}
	}
	return t, nil
}

// trials are the runs of all rows: each row's first seed comes before any second.
func (t *hazardTally) trials(seeds []uint64) (all []trial) {
	for _, seed := range seeds {
		for _, r := range t.rows {
			all = append(all, trial{Name: r.name(), Args: r.args(), Seed: seed})
		}
	}
	return all
}

// add counts a run, and says what to show of it.
func (t *hazardTally) add(r trialResult) (keep bool, line string) {
	row := t.rows[slices.IndexFunc(t.rows, func(h *hazardRow) bool { return h.name() == r.Name })]
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
	code := exitOK
	for _, r := range t.rows {
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exitHarness)
		case r.Found == 0 || r.Luck == "" && 20*r.Found < 19*r.Of:
			code = exit.Worse(code, exitViolated)
		}
	}
	return code
}

// show prints the rows.
func (t *hazardTally) show(out io.Writer, s *selftestSpec) error {
	if !s.JSON {
		_, err := fmt.Fprint(out, t.markdown(s))
		return err
	}
	enc := json.NewEncoder(out)
	for _, r := range t.rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// markdown is the table.
func (t *hazardTally) markdown(s *selftestSpec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seeds %d to %d, %s each, %d runs at a time.\n\n", commit, s.Seed, s.Seed+uint64(s.Seeds)-1, s.Duration, s.Jobs)
	b.WriteString("| backend | fault, and flags beyond the default | why it breaks | must be named | found | first after: median, p95 |\n|---|---|---|---|---|---|\n")
	for _, r := range t.rows {
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
