package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
	"locktorture/simulate"
	"locktorture/simulate/search"
	"locktorture/trial"
)

// unconfirmed stands beside every finding that was not tried on real servers.
const unconfirmed = "simulated only, not confirmed on real servers"

// robustWorlds is in how many other worlds a finding is tried.
const robustWorlds = 10

// explain cuts a finding down, tells what mattered, writes it as a run, and confirms it. It
// ends with exit code 1, whatever of that is interrupted.
func (l *lab) explain(cmd *cobra.Command, o *search.Outcome, m search.Mechanism, s exploreSpec) error {
	say := s.sayer(cmd)
	best, causes := o, []search.Cause(nil)
	var steady search.Robustness
	runs := 0
	if s.Shrink {
		small, err := l.shrink(cmd, o, m, s.loads(cmd))
		if err != nil {
			return err
		}
		if small != nil {
			best, runs, m = small.Outcome, small.Runs, small.Mechanism
			say(shrunkLine(o.Trial, small))
			if causes, steady, err = l.probe(cmd, small); err != nil {
				return err
			}
			say(steady.String())
		}
	}
	why := search.Why(best.Trial, causes, steady)
	say(strings.Split(strings.TrimSuffix(why, "\n"), "\n")...)
	if found, ok := m.Shows(best); ok {
		say(found.Kind + ": " + found.Sentence)
	}
	dir, err := l.keep(cmd, best, m, why, s)
	if err != nil {
		return err
	}
	if !s.JSON {
		fmt.Fprintln(cmd.OutOrStdout(), "replay    torture replay "+dir)
	}
	if s.JSON {
		t := best.Trial
		*s.told.Found = search.Found{
			Trial: s.told.Found.Trial, Mechanism: m.String(), Schedule: t.Schedule.String(), Faults: len(t.Schedule), Clients: t.Order.Clients,
			Duration: t.Order.Duration, Shrink: runs, Other: steady, Dir: dir,
		}
		if err := report.Encode(cmd.OutOrStdout(), s.told); err != nil {
			return broken(err)
		}
	}
	if s.Confirm == 0 || cmd.Context().Err() != nil {
		say(unconfirmed + " (torture confirm " + dir + ")")
		return exit.Silent(exitViolated)
	}
	if len(best.Trial.Schedule) == 0 {
		say(unconfirmed + ": there is no fault to play at a point, and torture run shows it if it is real")
		return exit.Silent(exitViolated)
	}
	return l.confirm(cmd, dir, m.Anomaly, s)
}

// sayer prints texts, each broken at the width of the output; none where JSON is wanted.
func (s exploreSpec) sayer(cmd *cobra.Command) func(texts ...string) {
	if s.JSON {
		return wrapped(io.Discard)
	}
	return wrapped(cmd.OutOrStdout())
}

// wrapped prints texts, each broken at the width of the output.
func wrapped(out io.Writer) func(texts ...string) {
	width := look(out).Width
	return func(texts ...string) {
		for _, t := range texts {
			indent := t[:len(t)-len(strings.TrimLeft(t, " "))]
			for _, line := range words.Hang(t, width-len(indent)) {
				fmt.Fprintln(out, indent+line)
			}
		}
	}
}

// shrink cuts a finding down; nil if that was interrupted.
func (l *lab) shrink(cmd *cobra.Command, o *search.Outcome, m search.Mechanism, loads []search.Load) (*search.Shrunk, error) {
	ctx := cmd.Context()
	small, err := search.Shrink(ctx, l.arenas[0], search.Trial{Order: o.Trial.Order, Schedule: o.Struck}, m, search.DefaultRuns, loads)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, exit.With(exitHarness, err)
	case err != nil:
		return nil, nil
	}
	return small, nil
}

// probe tells what mattered to a finding, and in how many other worlds it is seen.
func (l *lab) probe(cmd *cobra.Command, small *search.Shrunk) (all []search.Cause, r search.Robustness, err error) {
	ctx := cmd.Context()
	all, err = search.Causes(ctx, l.arenas[0], small)
	if err == nil {
		r, err = search.Robust(ctx, l.arenas[0], small.Trial, small.Mechanism, robustWorlds)
	}
	if err != nil && ctx.Err() == nil {
		return nil, r, exit.With(exitHarness, err)
	}
	return all, r, nil
}

// confirm plays what was found on real servers.
func (l *lab) confirm(cmd *cobra.Command, dir, anomaly string, s exploreSpec) error {
	c := newConfirm(s.env)
	if s.JSON { // the rate is in the directory
		cmd.SetOut(io.Discard)
	}
	args := []string{dir, "--find", anomaly, "--rounds", strconv.Itoa(s.Confirm), "--dir", s.Dir}
	if s.Quiet {
		args = append(args, "--quiet")
	}
	c.SetArgs(args)
	c.SetOut(cmd.OutOrStdout())
	c.SetErr(cmd.ErrOrStderr())
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(cmd.Context())
	(&trial.Dir{Name: filepath.Base(dir), Path: dir}).Latest() // and not the last round
	var ended *exit.Error
	if err == nil || errors.As(err, &ended) && ended.Err == nil && ended.Code == exitInterrupted {
		return exit.Silent(exitViolated)
	}
	return err
}

// shrunkLine says from what to what a trial was cut down.
func shrunkLine(from search.Trial, s *search.Shrunk) string {
	line := fmt.Sprintf("cut down from %s to %s in %d runs", size(from), size(s.Trial), s.Runs)
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

// keep plays a trial as any run is played, so that it has a run directory, and shows it.
func (l *lab) keep(cmd *cobra.Command, o *search.Outcome, m search.Mechanism, why string, s exploreSpec) (dir string, err error) {
	one := s.simSpec
	order := o.Trial.Order
	one.Clients, one.Duration, one.Hold, one.Think, one.Seed, one.Fencing = order.Clients, order.Duration, order.Hold, order.Think, order.Seed, order.Fencing
	one.MinGrants = 1
	t, r, err := one.playOn(context.WithoutCancel(cmd.Context()), l.guests, s.Dir, o.Trial.Schedule) // what was found is to be kept
	if err != nil {
		return "", err
	}
	defer func() { err = closed(t, err) }()
	t.Run.Exit = exitViolated
	voted, err := voted(t, s.Find)
	if err == nil {
		err = t.Dir.WriteText(trial.CauseFile, why+strings.Join(voted, ""))
	}
	if err != nil {
		return "", exit.With(exitHarness, t.Dir.Kept(err))
	}
	if s.own != nil {
		kept := *s.own
		kept.Order = one.order()
		if err := kept.KeepAgain(t.Dir.Path); err != nil {
			return "", exit.With(exitHarness, t.Dir.Kept(err))
		}
	}
	err = s.written(cmd, t)
	if err != nil {
		return "", exit.Coded(t.Dir.Kept(err))
	}
	if !s.JSON {
		fmt.Fprintf(cmd.OutOrStdout(), "schedule  %s\n", t.Dir.File(simulate.ScheduleFile))
	}
	if _, ok := m.Shows(&search.Outcome{Result: t.Result}); !ok || r.Hash != o.Run.Hash {
		return "", exit.With(exitHarness, t.Dir.Kept(fmt.Errorf("the simulator failed: played once more, the run is another one, and shows %v", t.Result.Counts.Anomalies)))
	}
	return t.Dir.Path, nil
}

// written writes the files of a run, and shows it unless JSON is wanted.
func (s exploreSpec) written(cmd *cobra.Command, t *trial.Outcome) error {
	if !s.JSON {
		return show(cmd, t, run{})
	}
	err := t.Write()
	t.Dir.Latest()
	return err
}

// voted says who voted when in the first anomaly of a run of which the lock can be accused, in
// whole lines.
func voted(t *trial.Outcome, find []string) (lines []string, err error) {
	all := search.Accused(t.Result, find)
	if len(all) == 0 {
		return nil, nil
	}
	if lines, err = trial.Witness(t.Dir, t.Run.Nodes, all[0], registry.Scripts()); err != nil {
		return nil, err
	}
	for i := range lines {
		lines[i] += "\n"
	}
	return lines, nil
}
