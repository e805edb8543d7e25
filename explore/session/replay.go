package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"locktorture/checker"
	"locktorture/explore"
	"locktorture/internal/exit"
	"locktorture/internal/plainfile"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
	"locktorture/runs"
	"locktorture/simulate"
	"locktorture/trial"

	"github.com/spf13/pflag"
)

// A Replay holds the settings of torture replay, as the flags give them.
type Replay struct {
	Virtual
	Dir  string
	JSON bool
}

// Register adds the flags of torture replay to f.
func (s *Replay) Register(f *pflag.FlagSet) {
	s.Virtual.Register(f)
	f.StringVar(&s.Dir, "dir", "results/runs", "`directory` for the run directories")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object (docs/files.md)")
}

// Run plays path again: a run directory with the flags of its run, or a file with a schedule
// with the flags of the command line.
func (s Replay) Run(cmd runs.Command, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return exit.Usage("%v; a run directory or a file with a schedule is needed", err)
	case info.IsDir():
		return replayRun(cmd, s.Commit, path)
	}
	return playSchedule(cmd, s, path)
}

// playSchedule plays the schedule in a file with the flags of the command line.
func playSchedule(cmd runs.Command, s Replay, path string) (err error) {
	text, err := plainfile.Read(path, plainfile.Text)
	if err != nil {
		return exit.Usage("%v", err)
	}
	faults, err := parseSchedule(path, string(text))
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return err
	}
	t, r, err := s.completed().Play(cmd.Context(), s.Dir, faults)
	if err != nil {
		return err
	}
	defer func() { err = closed(t, err) }()
	t.Run.Exit = runs.ExitCode(t.Result, "", checker.Expectation{}, t.Failure, cmd.Context().Err() != nil)
	if t.Failure != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: the simulation failed: %v\n", t.Failure)
	}
	if !s.JSON && r != nil {
		tellStrikes(cmd.OutOrStdout(), r)
	}
	var asked runs.Run
	asked.JSON = s.JSON
	err = runs.Show(cmd, t, asked)
	if err == nil && !s.JSON {
		err = tellVotes(cmd.OutOrStdout(), t)
	}
	if err != nil {
		return exit.Coded(t.Dir.Kept(err))
	}
	return exit.Silent(t.Run.Exit)
}

// parseSchedule parses a schedule. path is the file of the text, for the error.
func parseSchedule(path, text string) (schedule.Schedule, error) {
	s, err := schedule.Parse(text)
	if err != nil {
		return nil, exit.Usage("%s: %v; docs/explore.md describes schedules", path, err)
	}
	return s, nil
}

// tellStrikes prints the outcome of each decision, and the servers that ended by themselves.
func tellStrikes(out io.Writer, r *simulate.Result) {
	for _, s := range r.Struck {
		switch {
		case s.At == simulate.Never && s.Why == "":
			fmt.Fprintf(out, "never came   %v\n", s.Decision)
		case s.At == simulate.Never:
			fmt.Fprintf(out, "no target    %v: %s\n", s.Decision, s.Why)
		default:
			fmt.Fprintf(out, "injected     %v, %v after the beginning\n", s.Decision, time.Duration(s.At))
		}
	}
	for _, e := range r.Ended {
		fmt.Fprintf(out, "ended        %s by itself, %v after the beginning: %s\n", e.Server, time.Duration(e.At), e.Why)
	}
}

// tellVotes prints the votes of the servers in the first anomaly, with their times.
func tellVotes(out io.Writer, t *trial.Outcome) error {
	lines, err := explore.Votes(t, nil, registry.Scripts())
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	return err
}

// replayRun plays a recorded run again, and compares the two plays.
func replayRun(cmd runs.Command, commit, path string) (err error) {
	for _, name := range runs.Names(cmd.Flags()) {
		if name != runs.NoConfig && runs.OnCommandLine(cmd, name) {
			return exit.Usage("--%s: a run directory is replayed with the flags of its run; to use other flags, replay the %s in this directory", name, simulate.ScheduleFile)
		}
	}
	was, s, faults, err := recorded(path)
	if err != nil {
		return err
	}
	s.Commit = commit
	base, err := os.MkdirTemp("", "torture-replay-")
	if err != nil {
		return runs.Broken(err)
	}
	defer os.RemoveAll(base)
	t, _, err := s.Play(cmd.Context(), base, faults)
	if err != nil {
		return err
	}
	defer func() { err = closed(t, err) }()
	if t.Failure != nil {
		return runs.Broken(t.Failure)
	}
	if cmd.Context().Err() != nil { // the play was cut short, so its history ends early
		return exit.Silent(exit.Interrupted)
	}
	d, err := simulate.Compare(path, t.Dir.Path)
	if err != nil {
		return exit.Usage("%v; only a complete run can be compared", err)
	}
	return compared(cmd.OutOrStdout(), d, was, t)
}

// recorded reads a run in virtual time from its run directory: its report, its settings and
// its schedule.
func recorded(path string) (was report.Run, s Virtual, faults schedule.Schedule, err error) {
	was, dir, err := trial.Load(path)
	if err != nil {
		return was, s, nil, runs.NotRun(path, err)
	}
	if was.Provisioner != simulate.Name {
		return was, s, nil, exit.Usage("%s did not run in virtual time: real servers never repeat a run; %s", path, reproduced(was))
	}
	own, err := ownOf(dir.Path)
	if err == nil {
		s, err = simSpecOf(was, own)
	}
	if err != nil {
		return was, s, nil, err
	}
	file := dir.File(simulate.ScheduleFile)
	text, err := dir.Read(simulate.ScheduleFile)
	if err != nil {
		return was, s, nil, exit.Usage("%v; this file has the faults of a run in virtual time", err)
	}
	faults, err = parseSchedule(file, string(text))
	return was, s, faults, err
}

// reproduced tells how to repeat the faults of a run on real servers: with the command in its
// run.json, or else with its schedule.jsonl.
func reproduced(r report.Run) string {
	if r.Reproduce == "" {
		return "its faults are in schedule.jsonl"
	}
	return "to inject the same faults again, as its run.json says: " + words.Clean(r.Reproduce, words.MaxSentence)
}

// compared prints the result of a comparison. The exit code is 1 if the two plays differ; d is
// nil if they do not.
func compared(out io.Writer, d *simulate.Difference, was report.Run, t *trial.Outcome) error {
	if d == nil {
		sum, err := t.Dir.Read(simulate.SumFile)
		if err != nil {
			return runs.Broken(err)
		}
		fmt.Fprintf(out, "the same: %s%s\n", sum, t.Result.Sentence)
		if err := tellVotes(out, t); err != nil {
			return runs.Broken(err)
		}
		return nil
	}
	if d.Entry > 0 {
		fmt.Fprintf(out, "entry %d of the history differs\n", d.Entry)
	} else {
		fmt.Fprintln(out, "the histories are the same; the messages between clients and servers are not")
	}
	fmt.Fprintf(out, "  was %s\n  is  %s\n", orEnd(d.Was), orEnd(d.Is))
	for _, change := range simulate.Changed(was, t.Run) {
		fmt.Fprintf(out, "  %s\n", change)
	}
	return exit.Silent(exit.Violated)
}

func orEnd(text string) string {
	if text == "" {
		return "its end"
	}
	return text
}

// closed closes a trial, and joins the error of that with err, which came before.
func closed(t *trial.Outcome, err error) error {
	cerr := t.Close()
	switch {
	case cerr == nil:
		return err
	case err == nil:
		return runs.Broken(cerr)
	}
	return errors.Join(err, cerr)
}
