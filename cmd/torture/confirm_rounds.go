package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/explore/confirm"
	"locktorture/internal/exit"
	"locktorture/internal/terminal"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
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

// play plays the rounds and tells the rate. path is the run directory, which keeps it, or a
// schedule.
func (s confirmSpec) play(cmd *cobra.Command, r run, path string) error {
	out, ctx := cmd.OutOrStdout(), cmd.Context()
	c := &confirm.Rate{Backend: r.name(), Schedule: r.points.String(), Find: s.Find, Rounds: s.Rounds, Need: s.Need}
	if s.JSON {
		out = io.Discard
	}
	if !s.run.Quiet {
		fmt.Fprintf(out, "%s on real servers, %d rounds:\n%s", c.Backend, s.Rounds, c.Schedule)
	}
	worst, failed := exitOK, error(nil)
	for n := 1; n <= s.Rounds && ctx.Err() == nil && worst == exitOK; n++ {
		one, code, err := s.round(cmd, r)
		if failed = err; err != nil && len(c.Played) > 0 {
			break // what was seen before is told
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // it was cut short, and tells nothing
			break
		}
		c.Add(one)
		worst = exit.Worse(worst, code)
		wrapped(out)(strings.Split(strings.TrimSuffix(fmt.Sprintf("round %d: %s", n, one), "\n"), "\n")...)
	}
	c.Conclude()
	if err := s.tell(cmd, c, path); err != nil {
		return err
	}
	switch {
	case worst != exitOK:
		return exit.Silent(worst)
	case ctx.Err() != nil:
		return exit.Silent(exitInterrupted)
	case failed != nil:
		return failed
	case !c.Confirmed:
		return exit.Silent(exitViolated)
	}
	return nil
}

// tell prints the rate, and keeps it in the run directory.
func (s confirmSpec) tell(cmd *cobra.Command, c *confirm.Rate, path string) error {
	out := cmd.OutOrStdout()
	if s.JSON {
		if err := report.Encode(out, c); err != nil {
			return broken(err)
		}
	} else {
		width, _ := terminal.Size(out)
		for _, line := range words.Hang(c.Verdict, width) {
			fmt.Fprintln(out, line)
		}
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() || len(c.Played) == 0 {
		return nil
	}
	if err := c.Keep(path, registry.Invariant); err != nil {
		return broken(err)
	}
	return nil
}

// round plays the schedule once and keeps the run.
func (s confirmSpec) round(cmd *cobra.Command, r run) (one confirm.Round, code int, err error) {
	r.Quiet = true
	cfg, err := r.trial(cmd)
	if err != nil {
		return one, 0, err
	}
	one, failure, err := confirm.Play(cmd.Context(), cfg, s.Find, failureCode)
	if failure != nil {
		code = failureCode(failure)
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s failed: %v\n", culprit(failure), failure)
	}
	if err != nil && one.Dir == "" { // it did not begin
		err = r.explain(cmd.Context(), err)
	}
	return one, code, err
}
