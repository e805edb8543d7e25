package suite

import (
	"fmt"
	"io"
	"strings"

	"locktorture/bench"
	"locktorture/report/charts"
)

// page writes the charts of a benchmark.
func page(w io.Writer, r bench.Report) error {
	var text strings.Builder
	if err := r.Text(&text); err != nil {
		return err
	}
	return charts.Write(w, charts.Page{
		Title: "torture bench: what locks cost",
		Lead: fmt.Sprintf("Measured on %s with %d CPUs, beside the bare commands that each lock cannot do without, in turns on the same servers. "+
			"Absolute figures are those of this machine; the ratios hold on any.", r.Host.OS, r.Host.CPUs),
		Bars:  []charts.Bar{ratios(r), rates(r)},
		Lines: []charts.Line{waitersChart(r, "Hand-overs a second", handOvers), waitersChart(r, "Wait for the lock, p99, in ms", waits), waitersChart(r, "Server commands for each hand-over", commands)},
		Text:  text.String(),
	})
}

// ratios is the throughput of locks as a part of that of the bare commands.
func ratios(r bench.Report) charts.Bar {
	c := charts.Bar{Title: "Throughput, in % of the bare commands", Mark: 100, Note: "As many locks as clients; nobody waits."}
	for _, n := range r.Plan.Clients {
		c.Series = append(c.Series, clientsText(n))
	}
	for _, b := range r.Backends {
		row, some := charts.Row{Name: b.Backend}, false
		for _, n := range r.Plan.Clients {
			v, label := -1.0, ""
			if u := b.With(n); u != nil {
				if m := u.Side(bench.LockSide); m != nil && m.RateRatio != nil {
					v, some = 100*m.RateRatio.Value, true
					label = fmt.Sprintf("%.0f %%", v)
				}
			}
			row.Values, row.Labels = append(row.Values, v), append(row.Labels, label)
		}
		if some {
			c.Rows = append(c.Rows, row)
		}
	}
	return c
}

// rates is the best throughput of locks and of the bare commands.
func rates(r bench.Report) charts.Bar {
	c := charts.Bar{Title: "Acquires with their releases a second", Log: true, Series: []string{"lock", "bare commands"},
		Note: "The best of all numbers of clients; equal lengths are equal factors."}
	for _, b := range r.Backends {
		row := charts.Row{Name: b.Backend}
		for _, side := range []string{bench.LockSide, bench.BareSide} {
			v, label := b.Best(side), ""
			if v <= 0 {
				v = -1
			} else {
				label = fmt.Sprintf("%.0f", v)
			}
			row.Values, row.Labels = append(row.Values, v), append(row.Labels, label)
		}
		if row.Values[0] > 0 {
			c.Rows = append(c.Rows, row)
		}
	}
	return c
}

func clientsText(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}

func handOvers(c bench.Contended) float64 { return c.HandOvers.Median }
func waits(c bench.Contended) float64     { return float64(c.Wait.P99) / 1e6 }
func commands(c bench.Contended) float64  { return c.Commands }

// waitersChart is one figure over the number of clients that want the lock.
func waitersChart(r bench.Report, title string, figure func(bench.Contended) float64) charts.Line {
	c := charts.Line{Title: title, X: "clients that want one lock", Log: true}
	for _, n := range r.Plan.Waiters {
		c.At = append(c.At, float64(n))
	}
	for _, b := range r.Backends {
		line, some := charts.Series{Name: b.Backend, Values: make([]*float64, len(c.At))}, false
		for _, m := range b.Contended {
			for i, n := range r.Plan.Waiters {
				if v := figure(m); m.Clients == n && v > 0 {
					line.Values[i], some = &v, true
				}
			}
		}
		if some {
			c.Series = append(c.Series, line)
		}
	}
	return c
}
