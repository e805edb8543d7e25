package main

import (
	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/sweep"
)

func newSweep(env environment) *cobra.Command {
	s := sweep.NewSpec(commit)
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "measure one lock with several TTLs: overruns, and outages after the death of a holder",
		Long: `sweep helps to choose the TTL of a lock. For each TTL, sweep makes a run with the same
pauses and the same deaths of holders. Then sweep prints how often a paused holder worked
after its lease was over (an overrun), for how long nobody got the lock of a dead holder,
and how many renewals a watchdog sends. At the end, sweep gives advice.

A sweep pauses and kills holders far more often than production does, to measure the
effect of one pause and of one death. --pause and --death-every say how often holders are
paused and die in production. The rates in the table are computed from these two.
docs/choosing.md explains the table.

exit codes: 0 everything was measured, 2 wrong usage, 4 something could not be measured,
5 the driver failed, 130 interrupted (sweep prints the results so far)`,
		Example: `  torture sweep --backend redis-set --ttl 500ms,1s,2s,5s
  torture sweep --backend redis-watchdog --ttl 1s,5s --pause 1/100000:lognormal:100ms,2s
  torture sweep --backend redis-set --hold exp:20ms --long-hold 1/100:800ms --json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			surviveReaders()
			return allSaid(s.Run(cmd, env.locks))
		},
	}
	s.Register(cmd.Flags())
	completions(cmd, env.locks)
	return cmd
}
