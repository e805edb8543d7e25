package main

import (
	"locktorture/explore/session"
	"locktorture/internal/cli"

	"github.com/spf13/cobra"
)

func newConfirm(env environment) *cobra.Command {
	s := session.NewConfirm(commit)
	cmd := &cobra.Command{
		Use:   "confirm RUNDIR|schedule.txt",
		Short: "play a simulated run's faults on real servers, and report how often the lock breaks",
		Long: `confirm plays a schedule of faults at points (docs/explore.md) on real servers, with
a real process for each client. Each fault strikes at the same message, or the same
step of a client, as in the simulation. Each round is judged like any run and kept as
a run directory. At the end confirm prints the rate.

A run directory has its schedule, its flags and its anomalies. For a schedule alone,
--backend must name the lock. The run directory of a gotest finding also has the test
binary; confirm starts it as the process of each client.

A simulated fault is often just long enough, to the millisecond, and no real machine
is that exact. So each fault lasts a fifth plus 50 ms longer than written, and clocks
jump that much farther. A real server takes time to start. So if a fault strikes
servers, confirm first multiplies all times by four (--stretch), also those of the
lock and its load. The phase with faults goes on for one TTL after the last fault, and
at least for --duration. After three times that duration no further fault strikes.

A round counts if all faults struck and one of the anomalies of --find was seen. The
finding is confirmed if at least --need rounds count.

confirm writes the rate into the run directory (confirmed.json), with the reason if
the rate is below four in five.

exit codes: 0 confirmed, 1 not confirmed, 2 usage, 4 the harness itself failed,
5 a driver failed, 130 interrupted (the rounds so far are printed)`,
		Example: `  torture confirm results/runs/latest
  torture confirm late.txt --backend redis-set-del --clients 2 --find foreign-release`,
		Args: cli.OneArg("a run directory or a schedule"),
		RunE: func(cmd *cobra.Command, args []string) error {
			surviveReaders()
			return s.Run(cmd, env.locks, args[0])
		},
	}
	s.Register(cmd.Flags())
	completions(cmd, env.locks)
	return cmd
}

// confirmGroups are the flags of torture confirm.
func confirmGroups() []cli.Group {
	return []cli.Group{
		{Title: "Rounds", Flags: []string{"rounds", "need", "find", "exact", "stretch"}},
		{Title: "What to play (only with a schedule; a run directory has its own settings)", Flags: []string{"backend", "workload", "ttl", "fencing", "careful", "seed", "duration"}},
		{Title: "Load", Flags: []string{"clients", "locks", "keys", "hold", "think", "sections", "wait"}},
		{Title: "Judging", Flags: []string{"min-grants", "free-within"}},
		{Title: "Servers", Flags: []string{"cluster", "image"}},
		{Title: "Output", Flags: []string{"dir", "json", "quiet"}},
	}
}
