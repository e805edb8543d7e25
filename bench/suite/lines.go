package suite

import (
	"slices"

	"locktorture/bench"
	"locktorture/report/charts"
)

// A figure is what was measured of a lock, by the number of clients that wanted it.
type figure func(b bench.Backend) map[int]float64

// lines are the charts over the number of clients that want one lock, those that have
// something to show.
func lines(r bench.Report) []charts.Line {
	const wanted = "clients that want one lock"
	all := []charts.Line{
		waitersChart(r, "Hand-overs a second", wanted, ofContended(func(c bench.Contended) float64 { return c.HandOvers.Median })),
		waitersChart(r, "Wait for the lock, p99, in ms", wanted, ofContended(func(c bench.Contended) float64 { return float64(c.Wait.P99) / 1e6 })),
		waitersChart(r, "Server commands for each hand-over", wanted, ofContended(func(c bench.Contended) float64 { return c.Commands })),
		waitersChart(r, "Reads a second beside a writer", "clients, one of them the writer", ofMixed(func(m bench.Mix) float64 { return m.Reads.Median })),
		waitersChart(r, "Wait of the writer, p99, in ms", "clients, one of them the writer", ofMixed(func(m bench.Mix) float64 { return float64(m.WriteWait.P99) / 1e6 })),
		waitersChart(r, "From the last party's call until all have passed, p50, in ms", "parties that meet", ofMeetings),
	}
	return slices.DeleteFunc(all, func(l charts.Line) bool { return len(l.Series) == 0 })
}

func ofContended(of func(bench.Contended) float64) figure {
	return func(b bench.Backend) map[int]float64 {
		at := map[int]float64{}
		for _, c := range b.Contended {
			at[c.Clients] = of(c)
		}
		return at
	}
}

func ofMixed(of func(bench.Mix) float64) figure {
	return func(b bench.Backend) map[int]float64 {
		at := map[int]float64{}
		for _, m := range b.Mixed {
			at[m.Clients] = of(m)
		}
		return at
	}
}

func ofMeetings(b bench.Backend) map[int]float64 {
	at := map[int]float64{}
	for _, m := range b.Meetings {
		at[m.Parties] = float64(m.Open.P50) / 1e6
	}
	return at
}

// waitersChart is one figure over the number of clients.
func waitersChart(r bench.Report, title, x string, of figure) charts.Line {
	c := charts.Line{Title: title, X: x, Log: true}
	for _, n := range r.Plan.Waiters {
		c.At = append(c.At, float64(n))
	}
	for _, b := range r.Backends {
		at, some := of(b), false
		line := charts.Series{Name: b.Backend, Values: make([]*float64, len(c.At))}
		for i, n := range r.Plan.Waiters {
			if v := at[n]; v > 0 {
				line.Values[i], some = &v, true
			}
		}
		if some {
			c.Series = append(c.Series, line)
		}
	}
	return c
}
