package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/trial"
)

// take takes the flags of a run that the command line does not name.
func (s *confirmSpec) take(cmd *cobra.Command, r report.Run) error {
	values := []report.Flag{
		{Name: "backend", Value: r.Backend}, {Name: "workload", Value: r.Workload}, {Name: "clients", Value: strconv.Itoa(r.Clients)},
		{Name: "ttl", Value: r.TTL.String()}, {Name: "duration", Value: r.Duration.String()}, {Name: "seed", Value: strconv.FormatUint(r.Seed, 10)},
		{Name: "fencing", Value: r.Fencing}, {Name: "careful", Value: strconv.FormatBool(r.Careful)},
	}
	for _, f := range append(values, r.Flags...) {
		if f.Name == "option" && f.Value != "" {
			return usage("--option %s: on real servers %s has no options", f.Value, r.Backend)
		}
		elsewhere := f.Name == "dir" || f.Name == "quiet" || f.Name == "cluster" || f.Name == "image"
		if elsewhere || !slices.Contains(confirmFlags(), f.Name) || cmd.Flags().Changed(f.Name) {
			continue
		}
		if err := s.flags.Lookup(f.Name).Value.Set(f.Value); err != nil {
			return usage("run.json: --%s %q: %v", f.Name, f.Value, err)
		}
	}
	return nil
}

// A round is one play of the schedule.
type round struct {
	shown  []string // the anomalies that were looked for
	all    bool     // all faults struck
	strike string   // what became of those that did not
	line   string
	code   int
}

// counts tells that it shows what it was to show.
func (r round) counts() bool { return r.all && len(r.shown) > 0 }

// play plays the rounds and tells the rate.
func (s confirmSpec) play(cmd *cobra.Command, r run) error {
	out, ctx := cmd.OutOrStdout(), cmd.Context()
	if !s.run.Quiet {
		fmt.Fprintf(out, "%s on real servers, %d rounds:\n%s", r.name(), s.Rounds, r.points)
	}
	counted, played, worst := 0, 0, exitOK
	for n := 1; n <= s.Rounds && ctx.Err() == nil; n++ {
		one, err := s.round(cmd, r)
		if err != nil && ctx.Err() != nil && played > 0 {
			break
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // it was cut short, and tells nothing
			break
		}
		played++
		if one.counts() {
			counted++
		}
		worst = exit.Worse(worst, one.code)
		fmt.Fprintf(out, "round %d: %s\n%s", n, one.line, one.strike)
		if one.code != exitOK {
			break
		}
	}
	fmt.Fprintln(out, s.verdict(counted, played))
	switch {
	case worst != exitOK:
		return exit.Silent(worst)
	case ctx.Err() != nil:
		return exit.Silent(exitInterrupted)
	case counted < s.Need:
		return exit.Silent(exitViolated)
	}
	return nil
}

// verdict says what the rounds have come to.
func (s confirmSpec) verdict(counted, played int) string {
	text := fmt.Sprintf("seen in %d of %d rounds on real servers", counted, played)
	switch {
	case counted >= s.Need:
		return fmt.Sprintf("%s: confirmed (%d are needed)", text, s.Need)
	case played < s.Rounds:
		return fmt.Sprintf("%s, of %d that were to be played: nothing is said", text, s.Rounds)
	case counted > 0:
		return fmt.Sprintf("%s: not confirmed (%d are needed); it is real, but the schedule does not lead to it reliably", text, s.Need)
	}
	return text + ": not confirmed; simulated only"
}

// round plays the schedule once and keeps the run.
func (s confirmSpec) round(cmd *cobra.Command, r run) (round, error) {
	ctx := cmd.Context()
	r.Quiet = true
	cfg, err := r.trial(cmd)
	if err != nil {
		return round{}, err
	}
	t, err := trial.Run(ctx, cfg)
	if err != nil {
		return round{}, r.explain(ctx, err)
	}
	strikes := cfg.Act.(*trial.Work).Strikes()
	one := round{shown: shown(t.Result, s.Find), all: struck(strikes) == len(strikes), code: exitOK}
	one.line = fmt.Sprintf("%s · %d of %d faults struck · %s, %d grants · %s", orNo(one.shown), struck(strikes), len(strikes),
		t.Result.Grade, t.Result.Counts.Grants, t.Dir.Path)
	for i, k := range strikes {
		if !k.Struck {
			one.strike += fmt.Sprintf("  fault %d did not strike: %s\n", i+1, k.Why)
		}
	}
	if t.Failure != nil {
		one.code = failureCode(t.Failure)
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s failed: %v\n", culprit(t.Failure), t.Failure)
	}
	t.Run.Exit = one.code
	err = t.Write()
	t.Dir.Latest()
	if err = errors.Join(err, t.Close()); err != nil {
		return one, exit.Coded(t.Dir.Kept(err))
	}
	return one, nil
}

func orNo(kinds []string) string {
	if len(kinds) == 0 {
		return "not seen"
	}
	return strings.Join(kinds, ", ")
}

// shown are the anomalies of a result: of the kinds, or, if there are none, all that are the
// lock's. An overrun is not, which no lock can prevent, nor is what became of the store.
func shown(r checker.Result, kinds []string) (all []string) {
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			locks := a.Property != checker.Workload && a.Kind != "overrun"
			if (slices.Contains(kinds, a.Kind) || len(kinds) == 0 && locks) && !slices.Contains(all, a.Kind) {
				all = append(all, a.Kind)
			}
		}
	}
	return all
}
