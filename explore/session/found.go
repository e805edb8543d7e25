package session

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"locktorture/explore"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
	"locktorture/runs"
	"locktorture/simulate"
	"locktorture/simulate/search"
	"locktorture/trial"

	"github.com/spf13/pflag"
)

// Unconfirmed is the remark about a finding that was not tried on real servers.
const Unconfirmed = "simulated only, not confirmed on real servers"

// robustWorlds is the number of other worlds in which a finding is tried.
const robustWorlds = 10

// explain shrinks a finding, prints the part of each fault in it, keeps it as a run directory,
// and confirms it on real servers. If the user interrupts one of these steps, the exit code is
// still 1, because the search has found an anomaly.
func (s Explore) explain(cmd runs.Command, lab *explore.Lab, f *explore.Finding) error {
	say := s.sayer(cmd)
	if s.Shrink {
		if err := s.shrink(cmd, lab, f, say); err != nil {
			return exit.With(exit.Harness, err)
		}
	}
	say(strings.Split(strings.TrimSuffix(f.Why(), "\n"), "\n")...)
	if found, ok := f.Mechanism.Shows(f.Outcome); ok {
		say(found.Kind + ": " + found.Sentence)
	}
	dir, err := s.keep(cmd, lab, f)
	if err != nil {
		return err
	}
	if s.JSON {
		t := f.Trial
		s.told.Found = &search.Found{
			Trial: f.Number, Mechanism: f.Mechanism.String(), Schedule: t.Schedule.String(), Faults: len(t.Schedule), Clients: t.Order.Clients,
			Duration: t.Order.Duration, Shrink: f.Runs, Other: f.Robustness, Dir: dir,
		}
		if err := report.Encode(cmd.OutOrStdout(), s.told); err != nil {
			return runs.Broken(err)
		}
	} else {
		fmt.Fprintln(cmd.OutOrStdout(), "replay    torture replay "+dir)
	}
	if s.Confirm == 0 || cmd.Context().Err() != nil {
		say(Unconfirmed + " (torture confirm " + dir + ")")
		return exit.Silent(exit.Violated)
	}
	if s.Server != "" {
		say(Unconfirmed + ": the installed servers have a release other than " + s.Server)
		return exit.Silent(exit.Violated)
	}
	if len(f.Trial.Schedule) == 0 {
		say(Unconfirmed + ": the finding needs no fault; torture run shows whether real servers have this anomaly, too")
		return exit.Silent(exit.Violated)
	}
	return s.confirm(cmd, dir, f.Mechanism.Anomaly)
}

// shrink reduces a finding, tests each remaining fault, and tries the finding in other worlds,
// as far as there is time. It reports the reduction and the share of other worlds with say.
func (s Explore) shrink(cmd runs.Command, lab *explore.Lab, f *explore.Finding, say func(...string)) error {
	ctx, from := cmd.Context(), f.Trial
	small, err := lab.Shrink(ctx, f, search.DefaultRuns, s.loads(cmd))
	if err != nil || !small {
		return err
	}
	say(shrunkLine(from, f.Shrunk))
	if err := lab.Explain(ctx, f); err != nil {
		return err
	}
	if err := lab.TryOthers(ctx, f, robustWorlds); err != nil {
		return err
	}
	say(f.Robustness.String())
	return nil
}

// sayer returns a function that prints texts, each wrapped at the width of the output. With
// --json the function prints nothing.
func (s Explore) sayer(cmd runs.Command) func(texts ...string) {
	if s.JSON {
		return wrapped(io.Discard)
	}
	return wrapped(cmd.OutOrStdout())
}

// wrapped returns a function that prints texts to out, each wrapped at the width of out and
// with the indentation of its first line.
func wrapped(out io.Writer) func(texts ...string) {
	width := runs.Look(out).Width
	return func(texts ...string) {
		for _, t := range texts {
			indent := t[:len(t)-len(strings.TrimLeft(t, " "))]
			for _, line := range words.Hang(t, width-len(indent)) {
				fmt.Fprintln(out, indent+line)
			}
		}
	}
}

// confirm plays the finding that dir holds on real servers, and looks for the anomaly there.
func (s Explore) confirm(cmd runs.Command, dir, anomaly string) error {
	rounds := NewConfirm(s.Commit)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	rounds.Register(flags)
	args := []string{"--find", anomaly, "--rounds", strconv.Itoa(s.Confirm), "--dir", s.Dir}
	if s.Quiet {
		args = append(args, "--quiet")
	}
	if err := flags.Parse(args); err != nil {
		return exit.Usage("%v", err)
	}
	err := rounds.Run(nested{cmd, flags, s.JSON}, s.known, dir)
	(&trial.Dir{Name: filepath.Base(dir), Path: dir}).Latest() // the last round has made itself the latest run
	return afterRounds(err, s.sayer(cmd))
}

// afterRounds returns the end of a search with a finding whose rounds ended with err. The exit code
// is 1 although real servers refuse the finding or the user interrupts the rounds.
func afterRounds(err error, say func(...string)) error {
	var ended *exit.Error
	if errors.As(err, &ended) && (ended.Code == exit.BadUsage || ended.Code == exit.Interrupted) {
		if ended.Err != nil { // otherwise the rounds have printed their rate
			say(Unconfirmed + ": " + ended.Error())
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return exit.Silent(exit.Violated)
}

// A nested is a command within another. It has flags of its own, and the rest from the other.
type nested struct {
	runs.Command
	flags *pflag.FlagSet
	mute  bool // discard its standard output, because the outer command prints JSON
}

func (n nested) Flags() *pflag.FlagSet { return n.flags }

func (n nested) OutOrStdout() io.Writer {
	if n.mute {
		return io.Discard
	}
	return n.Command.OutOrStdout()
}

// shrunkLine describes the size of a trial before and after shrinking.
func shrunkLine(from search.Trial, s *search.Shrunk) string {
	line := fmt.Sprintf("reduced from %s to %s in %d runs", size(from), size(s.Trial), s.Runs)
	if !s.Enough {
		line += "; the reduction ended at its limit of runs"
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

// keep plays a finding once more as a run that has a run directory, shows that run, and
// returns the path of the directory.
func (s Explore) keep(cmd runs.Command, lab *explore.Lab, f *explore.Finding) (dir string, err error) {
	one := s.Virtual
	order := f.Trial.Order
	one.Clients, one.Duration, one.Hold, one.Think, one.Wait, one.Seed, one.Fencing = order.Clients, order.Duration, order.Hold, order.Think, order.Wait, order.Seed, order.Fencing
	one.MinGrants = 1
	r := explore.Record{Config: one.trial(s.Dir), Find: s.Find, Scripts: registry.Scripts(), Beside: func(d *trial.Dir) error {
		if s.own == nil {
			return nil
		}
		own := *s.own
		own.Order = one.order()
		return own.KeepAgain(d.Path)
	}}
	if !s.JSON {
		r.Write = func(t *trial.Outcome) error {
			err := runs.Show(cmd, t, runs.Run{})
			fmt.Fprintf(cmd.OutOrStdout(), "schedule  %s\n", t.Dir.File(simulate.ScheduleFile))
			return err
		}
	}
	k, err := lab.Keep(cmd.Context(), f, r)
	if err != nil {
		return "", runs.Run{}.Explain(cmd.Context(), err)
	}
	return k.Dir.Path, nil
}
