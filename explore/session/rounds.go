package session

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"locktorture/internal/exit"
	"locktorture/internal/terminal"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
	"locktorture/runs"
)

// take sets the flags of the rounds to the values of a recorded run, except those that the
// command line names.
func (s *Confirm) take(cmd runs.Command, r report.Run) error {
	values := []report.Flag{
		{Name: "backend", Value: r.Backend}, {Name: "workload", Value: r.Workload}, {Name: "clients", Value: strconv.Itoa(r.Clients)},
		{Name: "ttl", Value: r.TTL.String()}, {Name: "duration", Value: r.Duration.String()}, {Name: "seed", Value: strconv.FormatUint(r.Seed, 10)},
		{Name: "fencing", Value: r.Fencing}, {Name: "careful", Value: strconv.FormatBool(r.Careful)},
	}
	for _, f := range append(values, r.Flags...) {
		if f.Name == "server" && f.Value != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: the run used %s; these rounds use the installed servers\n", f.Value)
		}
		inOrder := f.Name == "option" && s.own != nil
		elsewhere := inOrder || f.Name == "dir" || f.Name == "quiet" || f.Name == "cluster" || f.Name == "image"
		if elsewhere || !slices.Contains(confirmFlags(), f.Name) || cmd.Flags().Changed(f.Name) {
			continue
		}
		if err := s.flags.Lookup(f.Name).Value.Set(f.Value); err != nil {
			return exit.Usage("run.json: --%s %q: %v", f.Name, f.Value, err)
		}
	}
	return nil
}

// play plays the rounds and prints their rate. path is the file of the schedule, or the run
// directory of the faults, which then keeps the rate.
func (s Confirm) play(cmd runs.Command, r runs.Run, path string) error {
	out, ctx := cmd.OutOrStdout(), cmd.Context()
	c := &Rate{Backend: r.Name(), Schedule: r.Points.String(), Find: s.Find, Rounds: s.Rounds, Need: s.Need}
	if s.JSON {
		out = io.Discard
	}
	if !s.run.Quiet {
		fmt.Fprintf(out, "%s on real servers, %s:\n%s", c.Backend, several(s.Rounds, "round"), c.Schedule)
	}
	worst, failed := exit.OK, error(nil)
	for n := 1; n <= s.Rounds && ctx.Err() == nil && worst == exit.OK; n++ {
		one, code, err := s.round(cmd, r)
		if failed = err; err != nil && len(c.Played) > 0 {
			break // the rounds before this one are still reported
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // the round was cut short, so it does not count
			break
		}
		if worst = exit.Worse(worst, code); code == exit.OK { // a failed round was cut short, too
			c.Add(one)
		}
		wrapped(out)(strings.Split(strings.TrimSuffix(fmt.Sprintf("round %d: %s", n, one), "\n"), "\n")...)
	}
	c.Conclude()
	if err := s.tell(cmd, c, path); err != nil {
		return err
	}
	switch {
	case worst != exit.OK:
		return exit.Silent(worst)
	case ctx.Err() != nil:
		return exit.Silent(exit.Interrupted)
	case failed != nil:
		return failed
	case !c.Confirmed:
		return exit.Silent(exit.Violated)
	}
	return nil
}

// tell prints the rate, and keeps it if path is a run directory.
func (s Confirm) tell(cmd runs.Command, c *Rate, path string) error {
	out := cmd.OutOrStdout()
	if s.JSON {
		if err := report.Encode(out, c); err != nil {
			return runs.Broken(err)
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
		return runs.Broken(err)
	}
	return nil
}

// round plays the schedule once and keeps the run.
func (s Confirm) round(cmd runs.Command, r runs.Run) (one Round, code int, err error) {
	r.Quiet = true
	cfg, err := r.Trial(cmd)
	if err != nil {
		return one, 0, err
	}
	one, failure, err := Play(cmd.Context(), cfg, s.Find, runs.FailureCode)
	if failure != nil {
		code = runs.FailureCode(failure)
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s failed: %v\n", runs.Culprit(failure), failure)
	}
	if err != nil && one.Dir == "" { // the run did not begin
		err = r.Explain(cmd.Context(), err)
	}
	return one, code, err
}
