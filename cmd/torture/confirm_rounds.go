package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/internal/terminal"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
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

// play plays the rounds and tells the rate. path is the run directory, which keeps it, or a
// schedule.
func (s confirmSpec) play(cmd *cobra.Command, r run, path string) error {
	out, ctx := cmd.OutOrStdout(), cmd.Context()
	c := &confirmation{Backend: r.name(), Schedule: r.points.String(), Find: s.Find, Rounds: s.Rounds, Need: s.Need}
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
		c.add(one)
		worst = exit.Worse(worst, code)
		wrapped(out)(strings.Split(strings.TrimSuffix(fmt.Sprintf("round %d: %s", n, one), "\n"), "\n")...)
	}
	c.conclude()
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
func (s confirmSpec) tell(cmd *cobra.Command, c *confirmation, path string) error {
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
	var b bytes.Buffer
	err := report.Encode(&b, c)
	if err == nil {
		err = atomicfile.WriteTextIn(path, trial.ConfirmedFile, b.String())
	}
	if err == nil {
		err = rewrite(path)
	}
	if err != nil {
		return broken(err)
	}
	return nil
}

// rewrite writes the reports of a run again, which tell the rate.
func rewrite(path string) error {
	run, r, dir, err := trial.Again(path, "", registry.Invariant)
	if err != nil {
		return err
	}
	return trial.Write(run, r, dir)
}

// round plays the schedule once and keeps the run.
func (s confirmSpec) round(cmd *cobra.Command, r run) (one confirmRound, code int, err error) {
	ctx := cmd.Context()
	r.Quiet = true
	cfg, err := r.trial(cmd)
	if err != nil {
		return one, 0, err
	}
	t, err := trial.Run(ctx, cfg)
	if err != nil {
		return one, 0, r.explain(ctx, err)
	}
	strikes := cfg.Act.(*trial.Work).Strikes()
	one = confirmRound{Dir: t.Dir.Path, Faults: len(strikes), Struck: struck(strikes), Anomalies: shown(t.Result, s.Find), Grade: string(t.Result.Grade), Grants: t.Result.Counts.Grants}
	for _, kind := range shown(t.Result, nil) {
		if !slices.Contains(one.Anomalies, kind) {
			one.Others = append(one.Others, kind)
		}
	}
	for i, k := range strikes {
		if !k.Struck {
			one.Missed = append(one.Missed, fmt.Sprintf("fault %d did not strike: %s", i+1, k.Why))
		}
	}
	if t.Failure != nil {
		code = failureCode(t.Failure)
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s failed: %v\n", culprit(t.Failure), t.Failure)
	}
	t.Run.Exit = code
	err = t.Write()
	t.Dir.Latest()
	if err = errors.Join(err, t.Close()); err != nil {
		return one, code, exit.Coded(t.Dir.Kept(err))
	}
	return one, code, nil
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
