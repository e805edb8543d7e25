package drivertest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"locktorture/locks/driver"
	"locktorture/registry"
)

// Cost measures n times acquire and release of a free lock through the driver, then lets the
// program measure itself in a loop of its own, and prints both. A program that does not do
// that is told so, which is no error.
func Cost(ctx context.Context, b Subject, n int, out io.Writer) error {
	through, err := b.through(ctx, n)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "through the driver  median %v  p99 %v  (%d rounds)\n", quantile(through, 0.5), quantile(through, 0.99), n)
	own, err := b.ownLoop(ctx, n)
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
func (b Subject) through(ctx context.Context, n int) ([]time.Duration, error) {
	k, err := b.open(ctx, 1, &talk{})
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
func (b Subject) ownLoop(ctx context.Context, n int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	e := b.Backend.Driver
	args := append(slices.Clone(e.Command[1:]), "bench", strconv.Itoa(n+n/warmUp))
	cmd := exec.CommandContext(ctx, e.Command[0], args...)
	cmd.Dir, cmd.Stderr = e.Dir, os.Stderr
	cmd.Env = registry.Environment(driver.Open{Endpoints: b.Cluster.Endpoints(1), TTL: b.TTL, Client: 1, Process: 1, Options: e.Options})
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

// quantile returns the value below which the share q of the durations lies.
func quantile(d []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)].Round(time.Microsecond)
}
