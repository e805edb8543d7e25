package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/checker/bare"
	"locktorture/checker/linear"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/trial"
)

// A checkSpec is what the flags of a check say.
type checkSpec struct {
	Model  string
	Expect string
	JSON   bool
	HTML   bool

	Engine    string
	Timeout   time.Duration
	Memory    int64 // MB
	Strict    bool
	TTL       time.Duration
	Capacity  int
	Parties   int
	Stock     int64
	Visualize string

	Keys      string // auto, split, whole
	FailedCAS bool
}

func newCheck() *cobra.Command {
	var s checkSpec
	cmd := &cobra.Command{
		Use:   "check RUNDIR|history.jsonl|history.edn",
		Short: "judge a recorded run or history again",
		Long: `check reads a recorded history and judges the history again, without any server.

For a run directory, check judges all properties; run.json in this directory says what
the lock declared. For a history file of torture or Jepsen, check judges only
linearizability. An exception is an EDN file of torture export: check judges the same
properties as for the exported run.

--model names the model by which check judges the locks and keys of a history file.
Without --model, check chooses a model that fits the operations. The output names the
model and the reason for the choice.

A history of Jepsen consists of EDN maps or JSON objects with the keys type, process, f,
value, time, index and error. The file can be plain or gzip. An entry can span several
lines. Entries stand one after another, or are the elements of a vector, list or array.
If all entries have an index, check sorts them by :index; otherwise they keep the order
of the file. Only the timed models use :time; the other models only show :time. A
process can be any text, number or keyword that does not begin with nemesis. If the
values have the form [key value], check judges each key separately. If the value of each
call is the name of a lock, check judges each lock separately. If the file ends in the
middle of an entry, check ignores this entry.

exit codes: as in torture --help; 2 if the history cannot be read, 3 if there is nothing
to judge, or if a history that torture recorded has no end and shows no violation`,
		Args: cli.OneArg("a run directory or a history"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Model != "" {
				if err := registry.KnownModel(s.Model); err != nil {
					return exit.Usage("%v", err)
				}
			}
			switch s.Engine {
			case "", "search", "porcupine":
			default:
				return exit.Usage("--engine %q: must be search or porcupine; without --engine, check uses the fast procedures", s.Engine)
			}
			return atOnce(cmd.Context(), func() error {
				info, err := os.Stat(args[0])
				check := checkFile
				switch {
				case err != nil || info.IsDir():
					check = checkOne
				case isExported(args[0]):
					check = checkExported
				}
				return check(cmd, s, args[0])
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.Model, "model", "", "judge the lock by this model (torture list models) (default: the declared model)")
	f.StringVar(&s.Expect, "expect", "", "expected verdict, GRADE[+anomaly...]")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object")
	f.StringVar(&s.Engine, "engine", "", "for history files: search or porcupine (default: neither, but a faster procedure)")
	f.DurationVar(&s.Timeout, "timeout", time.Minute, "time limit of a search; if the time is over, the outcome is unknown")
	f.Int64Var(&s.Memory, "memory", 1024, "memory limit of a search, in MB")
	f.BoolVar(&s.Strict, "strict-tries", false, "treat a refused try as proof that the lock was held")
	f.StringVar(&s.Keys, "keys", "auto", "for Jepsen histories: auto, split (judge each key or lock separately) or whole")
	f.BoolVar(&s.FailedCAS, "failed-cas", false, "treat a failed cas without an error as proof that the value was different (default: as proof only that nothing was written)")
	f.DurationVar(&s.TTL, "ttl", 2*time.Second, "TTL of the models timed-lease, timed-rwlock and timed-semaphore")
	f.IntVar(&s.Capacity, "capacity", 1, "capacity of the models semaphore and timed-semaphore")
	f.IntVar(&s.Parties, "parties", 1, "for the model latch: number of count-downs that open the latch; for the model barrier: number of parties that must come")
	f.Int64Var(&s.Stock, "stock", 0, "for the model inventory: number of units at the beginning")
	f.StringVar(&s.Visualize, "visualize", "", "file for porcupine's drawing of the operations around the violation")
	f.BoolVar(&s.HTML, "html", false, "write result.json, junit.xml and report.html again")
	return cmd
}

// Flags that only some kinds of input heed.
var (
	flagsOfRuns      = []string{"expect", "html"}
	flagsOfHistories = []string{"engine", "timeout", "memory", "strict-tries", "keys", "failed-cas", "ttl", "capacity", "parties", "stock", "visualize"}
)

// refuse refuses flags that would be ignored.
func refuse(cmd *cobra.Command, flags []string, why string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return exit.Usage("--%s: %s", name, why)
		}
	}
	return nil
}

// tidyTime is how long something that was interrupted may go on: what it writes just then is whole
// afterwards, and no temporary file stays.
const tidyTime = 2 * time.Second

// atOnce runs what has nothing to put in order, and gives it up soon after the command was
// interrupted.
func atOnce(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(tidyTime):
	}
	return exit.With(exit.Interrupted, errors.New("interrupted"))
}

// checkFile judges a history that others recorded, or one without its run directory.
func checkFile(cmd *cobra.Command, s checkSpec, path string) error {
	if err := refuse(cmd, flagsOfRuns, "only for a run directory or an exported run; "+path+" is a history without its run"); err != nil {
		return err
	}
	v, err := bare.Judge(path, s.bare())
	if err != nil {
		return exit.Usage("%s: %v", path, err)
	}
	if s.Visualize != "" {
		if err := visualize(cmd, s, v); err != nil {
			return err
		}
	}
	if s.JSON {
		err = report.Encode(cmd.OutOrStdout(), v)
	} else {
		err = v.Text(cmd.OutOrStdout())
	}
	if err != nil {
		return runs.Broken(err)
	}
	switch v.Outcome {
	case linear.Valid.String():
		return nil
	case linear.Invalid.String():
		return exit.Silent(exit.Violated)
	}
	return exit.Silent(exit.Unknown)
}

// visualize draws the witness of what is invalid.
func visualize(cmd *cobra.Command, s checkSpec, v *bare.Verdict) error {
	if v.Outcome != linear.Invalid.String() {
		fmt.Fprintln(cmd.ErrOrStderr(), "torture: --visualize: the history is not invalid, so there is no witness to draw")
		return nil
	}
	err := v.Visualize(s.Visualize, s.bare())
	switch {
	case err != nil && exit.Unusable(err):
		return exit.Usage("--visualize: %v; name a writable file", err)
	case err != nil:
		return runs.Broken(err)
	}
	return nil
}

func (s checkSpec) bare() bare.Options {
	return bare.Options{
		Model: s.Model, Keys: s.Keys, FailedCAS: s.FailedCAS,
		Options: linear.Options{
			Engine: s.Engine, Timeout: s.Timeout, Memory: s.Memory << 20, StrictTries: s.Strict, TTL: s.TTL,
			Capacity: s.Capacity, Parties: s.Parties, Stock: s.Stock,
		},
	}
}

func checkOne(cmd *cobra.Command, s checkSpec, path string) error {
	expect, err := runs.ParseExpect(s.Expect)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if err := refuse(cmd, flagsOfHistories, "only for a history without its run; "+path+" is a run directory"); err != nil {
			return err
		}
	}
	run, r, dir, err := trial.Again(path, s.Model, registry.Invariant)
	if err != nil {
		return runs.NotRun(path, err)
	}
	return told(cmd, s, expect, run, r, dir)
}

// told prints a verdict on a run, and writes it where there is a directory for it.
func told(cmd *cobra.Command, s checkSpec, expect checker.Expectation, run report.Run, r checker.Result, dir *trial.Dir) (err error) {
	run.Exit = runs.ExitCode(r, s.Expect, expect, nil, false)
	if s.JSON {
		err = report.JSON(cmd.OutOrStdout(), run, r, dir.Path)
	} else {
		run.CheckAgain = trial.CheckAgain(dir.Path)
		err = report.Text(cmd.OutOrStdout(), run, r, runs.Look(cmd.OutOrStdout()))
	}
	if s.HTML {
		err = errors.Join(err, trial.WriteDecoded(run, r, dir, decoderOf(run)))
	}
	if err != nil {
		return runs.Broken(err)
	}
	if s.Expect != "" && !s.JSON {
		if d := expect.Differs(r); d != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "not as expected: %s\n", d)
		}
	}
	return exit.Silent(run.Exit)
}
