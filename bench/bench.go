// Package bench measures what locks cost: latency and throughput without contention,
// hand-overs with it, and the memory that a held lock takes on the server. Of a read–write
// lock it measures its readers too, alone and beside a writer; of a latch and of a barrier,
// how long its parties take to meet.
//
// A figure of its own says more about the machine than about the lock, so every
// measurement has several sides – the lock, the bare commands that it cannot do
// without on the same server, the lock in a process of its own, another's
// lock – which take turns in short slices, so that whatever else the machine does
// hits all of them, and which are compared by the ratio of the medians of their
// slices. Quantiles of latencies come from HdrHistograms over all slices.
//
// The package starts no servers, knows no backend by name, and judges nothing: what excludes
// nobody is measured like everything else, and marked.
package bench

import (
	"context"
	"time"
)

// A Config says how long and how often to measure. Its zero value measures for
// 2 s in 12 turns of each side.
type Config struct {
	// Duration is the time that one measurement takes, all its sides
	// together, without the opening of clients.
	Duration time.Duration
	Turns    int // of each side in one measurement
	// Hold is how long a client holds the lock that others wait for. Without any
	// a spinning waiter hardly ever gets to ask in vain.
	Hold time.Duration
	// Patience bounds one acquire or release, and what waiters may take to go
	// home after a slice; what takes longer ends the measurement. Default 30 s.
	Patience time.Duration
}

func (c Config) withDefaults() Config {
	if c.Duration <= 0 {
		c.Duration = 2 * time.Second
	}
	if c.Turns <= 0 {
		c.Turns = 12
	}
	if c.Patience <= 0 {
		c.Patience = 30 * time.Second
	}
	return c
}

// slice is how long one side works in one turn.
func (c Config) slice(sides int) time.Duration {
	return max(time.Millisecond, c.Duration/time.Duration(c.Turns*sides))
}

// takeTurns calls slice for every side, Turns times, first to last and last to
// first in alternation, so that no side is always the first after a pause.
func (c Config) takeTurns(ctx context.Context, sides int, slice func(side int) error) error {
	for turn := range c.Turns {
		for i := range sides {
			side := i
			if turn%2 == 1 {
				side = sides - 1 - i
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := slice(side); err != nil {
				return err
			}
		}
	}
	return nil
}
