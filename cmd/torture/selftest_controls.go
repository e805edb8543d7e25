package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/internal/exit"
)

var controlTable = section{"table of controls"}

func newSelftestControls() *cobra.Command {
	var s selftestSpec
	rounds := 100
	cmd := &cobra.Command{
		Use:   "controls",
		Short: "run correct locks under faults and loads that are drawn, and list every accusation",
		Long: `Each round draws a correct lock, a workload, faults that the lock must stand, clients, locks, TTL, hold and
think times from the seed. The second half of the rounds runs beside as many busy loops as there are cores. A round in which
the lock is accused keeps its directory.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.controls(cmd, rounds) },
	}
	s.registerShared(cmd.Flags())
	cmd.Flags().IntVar(&rounds, "rounds", rounds, "number of rounds")
	return cmd
}

// controls plays the rounds and shows the table.
func (s *selftestSpec) controls(cmd *cobra.Command, rounds int) error {
	if rounds < 1 {
		return usage("--rounds %d: at least one is needed", rounds)
	}
	s.Seeds = 1
	if err := s.settle(); err != nil {
		return err
	}
	if err := controlTable.check(s.Markdown); err != nil {
		return err
	}
	t := newControlTally()
	ctx := cmd.Context()
	quiet := (rounds + 1) / 2
	s.trials(ctx, cmd.ErrOrStderr(), controlTrials(s.Seed, 0, quiet), t.add(false))
	stop := busyLoops()
	s.trials(ctx, cmd.ErrOrStderr(), controlTrials(s.Seed, quiet, rounds), t.add(true))
	stop()
	if err := t.show(cmd.OutOrStdout(), s); err != nil {
		return broken(err)
	}
	if ctx.Err() != nil {
		return exit.Silent(exitInterrupted)
	}
	if err := controlTable.write(s.Markdown, t.markdown(s)); err != nil {
		return err
	}
	if code := t.code(); code != exitOK {
		return exit.Silent(code)
	}
	return nil
}

// controlTrials are the rounds of some numbers. The seed of a run is that of all and its number.
func controlTrials(seed uint64, from, to int) (all []trial) {
	for n := from; n < to; n++ {
		r := drawRound(seed, n)
		all = append(all, trial{Name: r.Lock.Backend, Args: r.Args, Seed: seed*1_000_000 + uint64(n)})
	}
	return all
}

// busyLoops keeps all cores busy until stop is called.
func busyLoops() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var loops sync.WaitGroup
	for range runtime.NumCPU() {
		loops.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_ = n // work
			}
		})
	}
	return func() { cancel(); loops.Wait() }
}

// A controlTally collects the rounds by lock.
type controlTally struct{ rows []*controlRow }

// A controlRow is what the rounds of one lock came to.
type controlRow struct {
	Lock    string   `json:"lock"`
	Quiet   int      `json:"quiet"` // rounds with a verdict
	Busy    int      `json:"busy"`  // the same, beside busy loops
	Unknown int      `json:"unknown"`
	Grants  int      `json:"grants"`
	Bites   int      `json:"bites"`
	Accused []string `json:"accused,omitempty"`
	Failed  []string `json:"failed,omitempty"` // runs without a verdict
}

func newControlTally() *controlTally {
	t := &controlTally{}
	for _, l := range controlLocks() {
		t.rows = append(t.rows, &controlRow{Lock: l.Backend})
	}
	return t
}

// add counts a round, and says what to show of it.
func (t *controlTally) add(busy bool) func(trialResult) (keep bool, line string) {
	return func(r trialResult) (bool, string) {
		var row *controlRow
		for _, row = range t.rows {
			if row.Lock == r.Name {
				break
			}
		}
		command := fmt.Sprintf("torture run %s --seed %d", strings.Join(r.Args, " "), r.Seed)
		if r.Failed != "" {
			row.Failed = append(row.Failed, r.Failed+": "+command)
			return true, "no verdict: " + r.Failed
		}
		if busy {
			row.Busy++
		} else {
			row.Quiet++
		}
		row.Grants += r.Result.Counts.Grants
		row.Bites += r.Result.Counts.Bites
		if r.Result.Grade == checker.Unknown {
			row.Unknown++
		}
		if kinds := controlAccusations(r.Result); len(kinds) > 0 {
			row.Accused = append(row.Accused, strings.Join(kinds, ", ")+": "+command)
			return true, "ACCUSED: " + strings.Join(kinds, ", ") + ": " + r.Dir
		}
		return false, "not accused, " + string(r.Result.Grade)
	}
}

// controlAccusations are those of accusations, and a store that is corrupt although nobody overstayed.
func controlAccusations(r checker.Result) []string {
	kinds := accusations(r)
	if len(kinds) == 0 && r.Counts.Anomalies["overrun"] == 0 {
		for kind := range r.Counts.Anomalies {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// code is the worst of the table.
func (t *controlTally) code() int {
	code := exitOK
	for _, r := range t.rows {
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exitHarness)
		case len(r.Accused) > 0:
			code = exit.Worse(code, exitViolated)
		}
	}
	return code
}

// show prints the rows.
func (t *controlTally) show(out io.Writer, s *selftestSpec) error {
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

// markdown is the table, and a list of what was accused.
func (t *controlTally) markdown(s *selftestSpec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seed %d, %d runs at a time.\n\n", commit, s.Seed, s.Jobs)
	b.WriteString("| lock | rounds | beside busy loops | grants | faults that bit | unknown | accused |\n|---|---|---|---|---|---|---|\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d | %d |\n", r.Lock, r.Quiet+r.Busy, r.Busy, r.Grants, r.Bites, r.Unknown, len(r.Accused))
	}
	b.WriteString("\n")
	for _, r := range t.rows {
		for _, a := range r.Accused {
			fmt.Fprintf(&b, "- accused of `%s`\n", strings.Replace(a, ": ", "`: `", 1))
		}
		for _, f := range r.Failed {
			fmt.Fprintf(&b, "- no verdict: %s\n", f)
		}
	}
	return b.String() + "\n"
}
