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
		Short: "try one lock with several TTLs: overruns, outages after a death",
		Long: `sweep answers which TTL a lock should have. Each TTL gets a run with the same
stops and the same deaths of holders. For each TTL, sweep prints how often a
stopped holder overran its lease, for how long nobody got the lock of a dead
holder, and how many renewals a watchdog sends. At the end it gives advice.

sweep stops and kills far more holders than production does, to measure what one
stop or one death does. --pause and --death-every say how often these happen in
production; sweep scales the rates in the table accordingly. docs/choosing.md says
how to read the table.

exit codes: 0 all was measured, 2 usage, 4 something could not be measured,
5 the driver failed, 130 interrupted (what was measured is printed)`,
		Example: `  torture sweep --backend redis-set --ttl 500ms,1s,2s,5s
  torture sweep --backend redis-watchdog --ttl 1s,5s --pause 1/100000:lognormal:100ms,2s
  torture sweep --backend redis-set --hold exp:20ms --long-hold 1/100:800ms --json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			surviveReaders()
			return s.Run(cmd, env.locks)
		},
	}
	s.Register(cmd.Flags())
	completions(cmd, env.locks)
	return cmd
}
