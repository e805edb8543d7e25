package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/registry"
)

// newDriver is the hidden command that is one client's lock in a process of
// its own.
func newDriver(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "test a lock of your own (docs/first-driver.md)",
		Long: `A driver is a program that holds one client of a lock. Without a command below,
this one is itself such a program: it serves one client's lock on stdin and
stdout (docs/driver-protocol.md).`,
		Args: cli.NoArgs,
		// A driver reads no configuration; the commands below this one do.
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Name() == "driver" {
				return nil
			}
			return env.prepare(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := driver.Serve(cmd.Context(), openFor, cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return broken(err)
			}
			return nil
		},
	}
	cmd.AddCommand(newDriverCheck(env.locks), newDriverCost(env.locks), newDriverBuild())
	return cmd
}

// openFor opens the backend that an open request names.
func openFor(ctx context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	b, ok := registry.Find(o.Backend, registry.Locks())
	if !ok {
		return nil, fmt.Errorf("no backend is called %q", o.Backend)
	}
	return b.OpenWithin(ctx, registry.Args{
		Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, Options: o.Options,
		Access: o.Access, Prefix: o.Prefix,
	})
}
