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
		Long: `explore makes many short runs (trials) of an unmodified lock in virtual time, until the
lock breaks a promise. Each trial has at most three faults. The seed determines at which
messages and steps these faults strike. The same seed gives the same trials.

explore reduces a finding to the faults that matter, and writes a run directory with the
cause, the history, schedule.txt and a report. Then explore repeats the finding on real
servers (--confirm). Until real servers show the finding, it is "simulated only".

exit codes: 0 no finding, 1 a finding, 2 wrong usage, 4 the simulator failed,
130 interrupted`,
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
		Short: "reduce a simulated run to the faults that matter",
		Long: `shrink repeats a run in virtual time again and again, and simplifies the run each time:
fewer faults, fewer clients, a shorter run, faults on fewer servers, earlier points,
shorter and rounder times. shrink keeps a change only if three things stay the same: the
anomaly, the actions of the clients in the anomaly, and the attributed fault. The result
is a new run directory.

exit codes: 1 the result still has the anomaly, 2 wrong usage or nothing to reduce,
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
