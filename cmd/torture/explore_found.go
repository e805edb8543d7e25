package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/simulate"
	"locktorture/simulate/search"
	"locktorture/trial"
)

// unconfirmed stands beside every finding.
const unconfirmed = "simulated only, not confirmed on real servers"

// explain cuts a finding down, tells what mattered, and writes it as a run. It ends with exit
// code 1, whatever of that is interrupted.
func (l *lab) explain(cmd *cobra.Command, o *search.Outcome, m search.Mechanism, s exploreSpec) error {
	out, a := cmd.OutOrStdout(), l.arenas[0]
	best, causes := o, []search.Cause(nil)
	if s.Shrink {
		small, err := search.Shrink(cmd.Context(), a, search.Trial{Order: o.Trial.Order, Schedule: o.Struck}, m, search.DefaultRuns)
		switch {
		case err != nil && cmd.Context().Err() == nil:
			return exit.With(exitHarness, err)
		case err == nil:
			best = small.Outcome
			fmt.Fprintln(out, shrunkLine(o.Trial, small))
			causes, err = search.Causes(cmd.Context(), a, small)
			if err != nil && cmd.Context().Err() == nil {
				return exit.With(exitHarness, err)
			}
		}
	}
	why := causeText(best.Trial, causes)
	fmt.Fprint(out, why)
	if found, ok := m.Shows(best); ok {
		fmt.Fprintf(out, "%s: %s\n", found.Kind, found.Sentence)
	}
	if err := l.keep(cmd, best, m, why, s); err != nil {
		return err
	}
	fmt.Fprintln(out, unconfirmed+" (torture confirm)")
	return exit.Silent(exitViolated)
}

// shrunkLine says from what to what a trial was cut down.
func shrunkLine(from search.Trial, s *search.Shrunk) string {
	line := fmt.Sprintf("cut down from %s to %s in %d runs", size(from), size(s.Trial), s.Runs)
	switch margin := search.Margin(s.Trial.Order.TTL); {
	case !s.Held:
		line += fmt.Sprintf("; on a knife's edge: it is gone with times %v longer or shorter", margin)
	case len(s.Trial.Schedule) > 0:
		line += fmt.Sprintf("; it is still there with all times %v longer or shorter", margin)
	}
	if !s.Enough {
		line += "; there were no runs left to try more"
	}
	return line
}

func size(t search.Trial) string {
	return fmt.Sprintf("%s, %s, %s", several(len(t.Schedule), "fault"), several(t.Order.Clients, "client"), t.Order.Duration.Round(time.Millisecond))
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// causeText is a schedule, each fault with what is known of it.
func causeText(t search.Trial, causes []search.Cause) string {
	if len(t.Schedule) == 0 {
		return "no fault is needed\n"
	}
	if len(causes) == 0 {
		return t.Schedule.String()
	}
	var b strings.Builder
	for _, c := range causes {
		b.WriteString(c.String())
	}
	return b.String()
}

// keep plays a trial as any run is played, so that it has a run directory, and shows it.
func (l *lab) keep(cmd *cobra.Command, o *search.Outcome, m search.Mechanism, why string, s exploreSpec) (err error) {
	one := s.simSpec
	order := o.Trial.Order
	one.Clients, one.Duration, one.Seed, one.Fencing, one.MinGrants = order.Clients, order.Duration, order.Seed, order.Fencing, 1
	t, r, err := one.playOn(context.WithoutCancel(cmd.Context()), l.program, s.Dir, o.Trial.Schedule) // what was found is to be kept
	if err != nil {
		return err
	}
	defer func() { err = closed(t, err) }()
	t.Run.Exit = exitViolated
	if err := os.WriteFile(t.Dir.File(trial.CauseFile), []byte(why), 0o644); err != nil {
		return exit.With(exitHarness, t.Dir.Kept(err))
	}
	if err := show(cmd, t, run{}); err != nil {
		return exit.Coded(t.Dir.Kept(err))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "schedule  %s\n", t.Dir.File(simulate.ScheduleFile))
	if _, ok := m.Shows(&search.Outcome{Result: t.Result}); !ok || r.Hash != o.Run.Hash {
		return exit.With(exitHarness, t.Dir.Kept(fmt.Errorf("the simulator failed: played once more, the run is another one, and shows %v", t.Result.Counts.Anomalies)))
	}
	return nil
}
