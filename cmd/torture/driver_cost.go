package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"locktorture/locks/driver"
	"locktorture/registry"
)

func newDriverCost() *cobra.Command {
	var s driverSpec
	cmd := &cobra.Command{
		Use:   "cost COMMAND|NAME",
		Short: "measure what a driver's process adds to acquire and release",
		Long: `cost lets one client acquire and release a free lock through its driver, and then lets
the same program do it in a loop of its own, in which it is started with the
further arguments "bench N", the environment of a driver, and prints a JSON list of durations in ns.
A program that does not know them is measured through its driver alone.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return driverCost(cmd, s, args[0]) },
	}
	driverFlags(cmd, &s)
	cmd.Flags().IntVar(&s.N, "rounds", 2000, "acquire and release that often")
	return cmd
}

func driverCost(cmd *cobra.Command, s driverSpec, arg string) error {
	if s.N < 1 {
		return usage("--rounds %d: at least one is needed", s.N)
	}
	b, err := openBench(cmd.Context(), s.run, arg, &talk{})
	defer b.close()
	if err != nil {
		return err
	}
	through, err := b.through(cmd.Context(), s.N)
	if err != nil {
		return broken(err)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "through the driver  median %v  p99 %v  (%d rounds)\n", quantile(through, 0.5), quantile(through, 0.99), s.N)
	own, err := b.ownLoop(cmd.Context(), s.N)
	if err != nil {
		fmt.Fprintf(out, "in its own loop     not measured: %v\n", err)
		return nil
	}
	fmt.Fprintf(out, "in its own loop     median %v  p99 %v\nthe process adds    median %v  p99 %v\n", quantile(own, 0.5), quantile(own, 0.99),
		quantile(through, 0.5)-quantile(own, 0.5), quantile(through, 0.99)-quantile(own, 0.99))
	return nil
}

// warmUp is the share of rounds that are not counted: connections and
// just-in-time compilers.
const warmUp = 10

// through measures acquire and release through a driver.
func (b *driverBench) through(ctx context.Context, n int) ([]time.Duration, error) {
	k, err := b.open(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	var took []time.Duration
	for range n + n/warmUp {
		start := time.Now()
		l, err := k.Acquire(ctx, "cost")
		if err != nil {
			return nil, err
		}
		if err := l.Release(ctx); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took[n/warmUp:], nil
}

// ownLoop lets the program measure itself.
func (b *driverBench) ownLoop(ctx context.Context, n int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	e := b.backend.Driver
	args := append(slices.Clone(e.Command[1:]), "bench", strconv.Itoa(n+n/warmUp))
	cmd := exec.CommandContext(ctx, e.Command[0], args...)
	cmd.Dir, cmd.Stderr = e.Dir, os.Stderr
	cmd.Env = registry.Environment(driver.Open{Endpoints: b.cluster.Endpoints(1), TTL: b.spec.TTL, Client: 1, Process: 1, Options: e.Options})
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	if err := json.Unmarshal(out, &took); err != nil {
		return nil, fmt.Errorf("a list of durations is needed: %w", err)
	}
	if len(took) != n+n/warmUp {
		return nil, fmt.Errorf("%d durations, want %d", len(took), n+n/warmUp)
	}
	return took[n/warmUp:], nil
}

// quantile is the value below which the share q of the durations lies.
func quantile(d []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)].Round(time.Microsecond)
}
