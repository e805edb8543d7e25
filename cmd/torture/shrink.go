package main

import (
	"github.com/spf13/cobra"

	"locktorture/explore"
	"locktorture/internal/cli"
	"locktorture/simulate/search"
)

func newShrink() *cobra.Command {
	s := exploreSpec{Jobs: 1, Shrink: true}
	cmd := &cobra.Command{
		Use:   "shrink RUNDIR",
		Short: "cut the faults of a run in virtual time down to what matters",
		Long: `shrink plays a run in virtual time again and again, each time with less: fewer
faults, fewer clients, a shorter run, fewer servers struck, earlier points,
shorter and rounder times. It takes what shows the same anomaly in the same
roles, blamed on the same fault. The result is a run directory of its own.

exit codes: 1 the anomaly, cut down, 2 usage, or there is nothing to cut down,
4 the simulator failed, 130 interrupted`,
		Example: `  torture shrink results/runs/latest
  torture shrink results/runs/latest --find deadlock`,
		Args: cli.OneArg("run directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return shrinkRun(cmd, s, args[0]) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&s.Find, "find", nil, "`anomalies` of which the first is kept, comma separated (default: all of which the lock can be accused)")
	f.StringVar(&s.Dir, "dir", "results/runs", "`directory` in which the run directory is made")
	f.BoolVar(&s.Quiet, "quiet", false, "no progress")
	return cmd
}

// shrinkRun cuts a run down.
func shrinkRun(cmd *cobra.Command, s exploreSpec, path string) error {
	surviveReaders()
	if err := s.checkFind(); err != nil {
		return err
	}
	_, flags, faults, err := recorded(path)
	if err != nil {
		return err
	}
	s.simSpec = flags
	t := search.Trial{Order: flags.order(), Schedule: faults}
	lab, err := openLab(cmd, t.Order, s)
	if err != nil {
		return err
	}
	defer lab.Close()
	o, err := lab.Play(cmd.Context(), t)
	if err != nil {
		return brokenAfter(cmd.Context(), err)
	}
	f := explore.Given(o, s.Find)
	if f == nil {
		return usage("%s: a replay shows %s; another anomaly is kept with --find", path, orNothing(o.Result.Counts.Anomalies))
	}
	return s.explain(cmd, lab, f)
}

// orNothing names anomalies and how many there are.
func orNothing(of map[string]int) string {
	if len(of) == 0 {
		return "no anomaly"
	}
	return counts(of)
}
