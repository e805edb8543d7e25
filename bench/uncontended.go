package bench

import (
	"context"
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sync/errgroup"
)

// A Measured has the figures of one side of an uncontended measurement.
type Measured struct {
	Side    string  `json:"side"`
	Acquire Latency `json:"acquire"`
	Release Latency `json:"release"`
	// Rate is acquires with their releases a second, of all clients.
	Rate Spread `json:"rounds_per_second"`
	// The rest compares with the first side; nil for itself. The ratios of latencies are
	// computed from the medians of the slices' medians.
	RateRatio    *Ratio `json:"rate_ratio,omitempty"`
	AcquireRatio *Ratio `json:"acquire_ratio,omitempty"`
	ReleaseRatio *Ratio `json:"release_ratio,omitempty"`
}

// An Uncontended is what as many clients did with as many locks, or as many readers with one.
type Uncontended struct {
	Mode    string     `json:"mode,omitempty"`
	Clients int        `json:"clients"`
	Sides   []Measured `json:"sides"`
}

// Side returns what one side did; nil if it was not measured.
func (u Uncontended) Side(name string) *Measured {
	for i := range u.Sides {
		if u.Sides[i].Side == name {
			return &u.Sides[i]
		}
	}
	return nil
}

// MeasureUncontended lets n clients of each side acquire and release, each a lock of its own,
// or all the same where it lets them, as fast as they can. What there is when ctx ends is
// returned with its error.
func MeasureUncontended(ctx context.Context, c Config, n int, sides ...Side) (u Uncontended, err error) {
	c = c.withDefaults()
	c.Hold = 0
	crews, dismiss, err := hireAll(ctx, c, sides, func(int) int { return n })
	if err != nil {
		return Uncontended{Clients: n}, err
	}
	defer func() { err = errors.Join(err, dismiss()) }()
	tallies := make([]*tally, len(sides))
	for i := range tallies {
		tallies[i] = newTally()
	}
	err = c.takeTurns(ctx, len(sides), func(i int) error {
		return crews[i].slice(ctx, c.slice(len(sides)), tallies[i])
	})
	u = Uncontended{Clients: n}
	for i, t := range tallies {
		m := t.measured(sides[i].Name)
		if i > 0 {
			m.RateRatio = ratioOf(t.rates, tallies[0].rates)
			m.AcquireRatio = ratioOf(t.acquires, tallies[0].acquires)
			m.ReleaseRatio = ratioOf(t.releases, tallies[0].releases)
		}
		u.Sides = append(u.Sides, m)
	}
	return u, err
}

// A tally sums up the slices of one side.
type tally struct {
	acquire, release   *hdrhistogram.Histogram
	rates              []float64 // of each slice
	acquires, releases []float64 // the median of each slice, in ns
	turnovers          []float64 // of a release and an acquire: the sum of both
}

func newTally() *tally { return &tally{acquire: newHistogram(), release: newHistogram()} }

func (t *tally) measured(side string) Measured {
	return Measured{Side: side, Acquire: latencyOf(t.acquire), Release: latencyOf(t.release), Rate: spreadOf(t.rates)}
}

// slice lets the crew work for d. Each client ends the round that it is in; its own rate counts
// the time it really took, and the rates are added up. What was done until ctx ended counts: a
// slice can be long, and there may be no other.
func (w *crew) slice(ctx context.Context, d time.Duration, t *tally) error {
	rounds := make([][]round, len(w.clients))
	rates := make([]float64, len(w.clients))
	g, gctx := errgroup.WithContext(ctx)
	start := time.Now()
	for i, l := range w.clients {
		name := w.side.own(i + 1)
		g.Go(func() error {
			defer func() { rates[i] = float64(len(rounds[i])) / time.Since(start).Seconds() }()
			for time.Since(start) < d && gctx.Err() == nil {
				r, err := w.round(gctx, l, name)
				if err != nil {
					return err
				}
				rounds[i] = append(rounds[i], r)
			}
			return nil
		})
	}
	err := g.Wait()
	if err == nil || ctx.Err() != nil {
		t.add(rounds, rates)
	}
	return err
}

func (t *tally) add(rounds [][]round, rates []float64) {
	var acquires, releases []float64
	for _, of := range rounds {
		for _, r := range of {
			record(t.acquire, r.acquire)
			record(t.release, r.release)
			acquires = append(acquires, float64(r.acquire))
			releases = append(releases, float64(r.release))
		}
	}
	if len(acquires) == 0 { // broken off before anything was done
		return
	}
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	t.rates = append(t.rates, sum)
	t.acquires = append(t.acquires, quantile(acquires, 0.5))
	t.releases = append(t.releases, quantile(releases, 0.5))
	t.turnovers = append(t.turnovers, quantile(acquires, 0.5)+quantile(releases, 0.5))
}
