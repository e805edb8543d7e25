package main

import (
	"locktorture/explore/session"
	"locktorture/internal/cli"

	"github.com/spf13/cobra"
)

func newExplore(env environment) *cobra.Command {
	s := session.Explore{Virtual: session.Virtual{Commit: commit}}
	cmd := &cobra.Command{
		Use:   "explore BACKEND",
		Short: "search in virtual time for faults under which a lock breaks",
		Long: `explore plays many short runs of an unmodified lock in virtual time. Each has up
to three faults; the seed draws at which messages and steps they strike. explore
reduces a finding to the faults that matter. It writes a run directory with the
cause, the history, schedule.txt and a report. The same seed gives the same trials.

Then explore tries the finding on real servers (--confirm). Until the finding is
seen there, it is "simulated only".

exit codes: 0 nothing was found, 1 something was, 2 usage, 4 the simulator
failed, 130 interrupted`,
		Example: `  torture explore redis-set-del
  torture explore redlock --find double-grant --kinds clock --budget 5m
  torture explore etcd-election --find zombie-candidate
  torture explore redsync --trials 2000 --clients 2 --seed 7`,
		Args: cli.OneArg("backend"),
		RunE: func(cmd *cobra.Command, args []string) error {
			surviveReaders()
			s.Backend = args[0]
			return s.Run(cmd, env.locks)
		},
	}
	s.Register(cmd.Flags())
	return cmd
}

func newShrink() *cobra.Command {
	s := session.NewShrink(commit)
	cmd := &cobra.Command{
		Use:   "shrink RUNDIR",
		Short: "reduce the faults of a run in virtual time to those that matter",
		Long: `shrink plays a run in virtual time again and again, each time with less: fewer
faults, fewer clients, a shorter run, fewer servers struck, earlier points,
shorter and rounder times. It keeps a reduction only if three things stay the same:
the anomaly, the actions of its clients, and the attributed fault. The result is a new
run directory.

exit codes: 1 the anomaly was reduced, 2 usage, or there is nothing to reduce,
4 the simulator failed, 130 interrupted`,
		Example: `  torture shrink results/runs/latest
  torture shrink results/runs/latest --find deadlock`,
		Args: cli.OneArg("run directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			surviveReaders()
			return s.ShrinkRun(cmd, args[0])
		},
	}
	s.RegisterShrink(cmd.Flags())
	return cmd
}
