package main

import (
	"locktorture/explore/session"
	"locktorture/internal/cli"

	"github.com/spf13/cobra"
)

func newReplay() *cobra.Command {
	s := session.Replay{Virtual: session.Virtual{Commit: commit}}
	cmd := &cobra.Command{
		Use:   "replay RUNDIR|schedule.txt",
		Short: "run a schedule of faults in virtual time, or repeat a simulated run",
		Long: `replay makes a run in virtual time: the same flags and the same schedule give exactly
the same history.

If you name a run directory, replay repeats this run and compares the two histories. The
histories may differ if the version of the lock, of Go or of a server has changed. Then
replay shows the first entry that differs.

If you name a schedule, replay makes a run with this schedule and the flags, judges it
as torture run does, and keeps it in a run directory. docs/explore.md describes
schedules. An empty schedule means no faults.

exit codes: for a run directory: 0 the histories are the same, 1 the histories differ;
for a schedule: as in torture --help; for both: 2 wrong usage, 4 the simulation failed,
130 interrupted`,
		Example: `  torture replay results/runs/latest
  torture replay schedule.txt --backend redis-set-del --clients 2 --seed 2`,
		Args: cli.OneArg("a run directory or a schedule"),
		RunE: func(cmd *cobra.Command, args []string) error {
			surviveReaders()
			return s.Run(cmd, args[0])
		},
	}
	s.Register(cmd.Flags())
	return cmd
}

// replayGroups are the flags of torture replay.
func replayGroups() []cli.Group {
	return []cli.Group{
		{Title: "What to run (only with a schedule; a run directory has its own settings)", Flags: []string{"backend", "option", "workload", "ttl", "fencing", "careful", "seed", "duration"}},
		{Title: "Load", Flags: []string{"clients", "locks", "keys", "hold", "think", "sections", "wait"}},
		{Title: "Judging", Flags: []string{"min-grants", "free-within"}},
		{Title: "Output", Flags: []string{"dir", "json"}},
	}
}
