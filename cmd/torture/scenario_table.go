package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/cluster/docker"
	"locktorture/explore/session"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/scenarios/play"
	"locktorture/scenarios/record"
	"locktorture/simulate/machine"
)

// runScenarios plays what the command line names.
func runScenarios(cmd *cobra.Command, known map[string]registry.Backend, s scenarioSpec, name string) error {
	surviveReaders()
	if s.Repeat < 1 {
		return exit.Usage("--repeat %d: at least one is needed", s.Repeat)
	}
	if s.Virtual && runs.OnCommandLine(cmd, "cluster") {
		return exit.Usage("--cluster: not with --virtual, because virtual time has servers of its own")
	}
	if s.Virtual && s.Ledger != "" {
		return exit.Usage("--ledger: not with --virtual, because its lines are of plays on real servers")
	}
	if err := s.WireSpec.Check(); err != nil {
		return err
	}
	if err := s.ServerSpec.Check("a scenario kills servers, cuts their links and moves their clocks, so torture must start these servers"); err != nil {
		return err
	}
	plays, err := s.choose(cmd, known, name)
	if err != nil {
		return err
	}
	if !s.Virtual && s.WantsEngine(play.Topologies(plays, known)...) {
		return docker.ErrNotCompiled
	}
	var program *machine.Program
	if s.Virtual {
		if program, err = session.Guest(cmd.Context(), machine.Any); err != nil {
			return err
		}
		defer program.Close(context.WithoutCancel(cmd.Context()))
	}
	book, err := s.Bookkeeper(commit)
	if err != nil {
		return err
	}
	if err := book.Begin(known[plays[0].Case.Backend], ""); err != nil {
		return err
	}
	player := s.player(known, program)
	defer player.Close()
	start := time.Now()
	table, interrupted := player.All(cmd.Context(), plays, s.Repeat, func(i int, p play.Play) play.Watch {
		if !s.Quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d/%d %s with %s\n", i+1, len(plays), p.Name, p.Case.Name())
		}
		return s.watch(cmd, p, len(plays) == 1, book, known[p.Case.Backend])
	})
	took := time.Since(start)
	if interrupted != nil { // what there is is kept
		if !s.JSON {
			interrupted = errors.Join(interrupted, s.show(cmd, table, len(plays), took))
		}
		return interrupted
	}
	worst := exit.OK
	for _, row := range table {
		worst = exit.Worse(worst, row.Exit())
	}
	if len(plays) == 1 && worst == exit.Unknown {
		return exit.Usage("scenario %s with %s %s", name, plays[0].Case.Name(), table[0].Skipped)
	}
	if err := s.show(cmd, table, len(plays), took); err != nil {
		return runs.Broken(err)
	}
	return exit.Silent(worst)
}

// choose picks what the command line names, and says which drivers are not here.
func (s scenarioSpec) choose(cmd *cobra.Command, locks map[string]registry.Backend, name string) ([]play.Play, error) {
	named, err := play.Choose(name, s.Backend, s.Variant, locks)
	if err != nil {
		return nil, exit.Usage("%v", err)
	}
	plays, missing := play.Served(named, locks)
	names := strings.Join(missing, ", ")
	if s.Virtual {
		return s.chooseVirtual(cmd, named)
	}
	switch {
	case len(plays) == 0:
		return nil, exit.Usage("%s cannot be run here: its runtime is not installed (make servers), or no configuration file names its driver (torture list backends)", names)
	case names != "":
		fmt.Fprintf(cmd.ErrOrStderr(), "left out, because their runtimes are not installed: %s\n", names)
	}
	return plays, nil
}

// chooseVirtual picks what can be played in virtual time, and says what cannot and why.
func (s scenarioSpec) chooseVirtual(cmd *cobra.Command, named []play.Play) (plays []play.Play, err error) {
	left := map[string]int{}
	for _, p := range named {
		if err := play.Virtual(p.Case); err != nil {
			left[err.Error()]++
			continue
		}
		plays = append(plays, p)
	}
	var why []string
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		why = append(why, fmt.Sprintf("%s (%d)", strings.TrimPrefix(reason, play.ErrNotVirtual.Error()+": "), left[reason]))
	}
	switch {
	case len(plays) == 0:
		return nil, exit.Usage("--virtual: %v: %s", play.ErrNotVirtual, strings.Join(why, "; "))
	case len(why) > 0 && !s.Quiet:
		fmt.Fprintf(cmd.ErrOrStderr(), "left out, because it is %v: %s\n", play.ErrNotVirtual, strings.Join(why, "; "))
	}
	return plays, nil
}

// watch says how the plays of a case went; alone tells that there is no other.
func (s scenarioSpec) watch(cmd *cobra.Command, p play.Play, alone bool, book *runs.Bookkeeper, lock registry.Backend) play.Watch {
	begun := book.Begin(lock, "")
	return play.Watch{
		Show: func(r play.Result) error {
			met := r.Differs == "" && !p.Case.Missed(r.Result)
			if err := errors.Join(begun, book.End(lock, r.Run, r.Result, r.Dir, met)); err != nil {
				return err
			}
			begun = book.Begin(lock, "") // of the next one
			if s.JSON || !alone && r.Differs == "" {
				return nil
			}
			return r.Text(cmd.OutOrStdout(), runs.Look(cmd.OutOrStdout()).Width)
		},
		Failed: func(err error) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s with %s: %v\n", p.Name, p.Case.Name(), err)
		},
	}
}

// A played is the output of torture scenario run --json.
type played struct {
	Cases   []record.Tally `json:"cases"`
	Seconds float64        `json:"seconds"`
}

// show prints what was played. One play has been told already.
func (s scenarioSpec) show(cmd *cobra.Command, table []record.Tally, plays int, took time.Duration) error {
	switch {
	case s.JSON:
		return report.Encode(cmd.OutOrStdout(), played{table, took.Seconds()})
	case plays > 1:
		return record.Text(cmd.OutOrStdout(), runs.Look(cmd.OutOrStdout()).Width, table, took)
	}
	return nil
}
