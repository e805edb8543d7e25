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
		Short: "repeat the faults of a simulated run on real servers; report how often the lock breaks",
		Long: `confirm makes several rounds on real servers, with a real process for each client. Each
round is a run with the same schedule of faults at points (docs/explore.md). Each fault
strikes at the same message, or the same step of a client, as in the simulation. confirm
judges each round like any run, and keeps the round as a run directory. A round counts if
all faults struck and one of the anomalies of --find was observed. The finding is
confirmed if at least --need rounds count. At the end, confirm prints the rate: the share
of rounds that count.

If you name a run directory, confirm takes the schedule, the flags and the anomalies of
that run. If you name a schedule, --backend must name the lock. For a finding of gotest,
confirm starts the test binary of the run directory as the process of each client.

A simulated fault is often only just long enough to break the lock. Real machines are
less exact, so confirm makes each fault longer, by a fifth of its time plus 50 ms; only
restarts keep their time. By the same rule, confirm makes the jumps of clocks larger.
Stopping or starting a real server takes time. So if a fault stops or restarts servers
or moves their clocks, confirm first multiplies all times by four (--stretch), including
the TTL and the times of the load.

All these rules also lengthen --duration. The phase with faults does not end before the
lengthened duration is over, nor before one TTL after the last fault. After three times
the lengthened duration, no more faults strike.

If you name a run directory, confirm writes the rate into confirmed.json there. If the
rate is below four in five, confirm also writes the reason.

exit codes: 0 confirmed, 1 not confirmed, 2 wrong usage, 4 the harness itself failed,
5 a driver failed, 130 interrupted (confirm prints the rounds so far)`,
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
		{Title: "What to run (only with a schedule; a run directory has its own settings)", Flags: []string{"backend", "workload", "ttl", "fencing", "careful", "seed", "duration"}},
		{Title: "Load", Flags: []string{"clients", "locks", "keys", "hold", "think", "sections", "wait"}},
		{Title: "Judging", Flags: []string{"min-grants", "free-within"}},
		{Title: "Servers", Flags: []string{"cluster", "image"}},
		{Title: "Output", Flags: []string{"dir", "json", "quiet"}},
	}
}
