package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/locks/driver"
	"locktorture/runs"
)

// newDriver is the hidden command that is one client's lock in a process of
// its own.
func newDriver(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "test a lock of your own (docs/first-driver.md)",
		Long: `A driver is a program that runs one client of a lock, and speaks a protocol over stdin
and stdout (docs/driver-protocol.md). Without a subcommand, torture driver is such a
program for the locks of torture.`,
		Args: cli.NoArgs,
		// A driver reads no configuration; the commands below this one do.
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Name() == "driver" {
				return nil
			}
			return env.prepare(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // the harness then says which one ended it
			if err := driver.Serve(cmd.Context(), runs.OpenFor, cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return runs.Broken(err)
			}
			return nil
		},
	}
	cmd.AddCommand(newDriverCheck(env.locks), newDriverCost(env.locks), newDriverBuild())
	return cmd
}
