package main

import (
	"github.com/spf13/cobra"

	"locktorture/drivertest"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/runs"
)

func newDriverCost(known map[string]registry.Backend) *cobra.Command {
	var s driverSpec
	cmd := &cobra.Command{
		Use:   "cost COMMAND|NAME",
		Short: "measure the time that the process of a driver adds to acquire and release",
		Long: `cost first measures one client that acquires and releases a free lock through the driver.
Then cost starts the same program again, in the same environment but with two more
arguments: bench N. Now the program must acquire and release N times in a loop of its
own, and print a JSON list of the durations in ns. If the program does not support these
arguments, cost prints only the first measurement.`,
		Args: cli.OneArg("a driver's command or name"),
		RunE: func(cmd *cobra.Command, args []string) error { return driverCost(cmd, known, s, args[0]) },
	}
	driverFlags(cmd, known, &s)
	cmd.Flags().IntVar(&s.N, "rounds", 2000, "number of times that the lock is acquired and released")
	return cmd
}

func driverCost(cmd *cobra.Command, known map[string]registry.Backend, s driverSpec, arg string) error {
	if s.N < 1 {
		return exit.Usage("--rounds %d: at least one is needed", s.N)
	}
	s.chosen = cmd.Flags().Changed("ttl")
	b, err := s.open(cmd.Context(), known, arg)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := drivertest.Cost(cmd.Context(), *b, s.N, cmd.OutOrStdout()); err != nil {
		return runs.Broken(err)
	}
	return nil
}
