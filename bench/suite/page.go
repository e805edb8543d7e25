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
		Lead: fmt.Sprintf("Measured on %s with %d CPUs. The baseline is the bare commands that such a lock needs on the same servers; lock and baseline take turns. "+
			"Absolute figures hold for this machine only; the ratios hold on any machine.", r.Host.OS, r.Host.CPUs),
		Bars:  []charts.Bar{ratios(r), rates(r)},
		Lines: lines(r),
		Text:  text.String(),
	})
}

// ratios is the throughput of locks as a part of that of the bare commands.
func ratios(r bench.Report) charts.Bar {
	c := charts.Bar{Title: "Throughput, in % of the bare commands", Mark: 100, Note: "Each client has its own lock, readers share one; nobody waits."}
	for _, n := range r.Plan.Clients {
		c.Series = append(c.Series, clientsText(n))
	}
	for _, b := range r.Backends {
		for _, mode := range b.Alone() {
			if row, some := ratioRow(b, mode, r.Plan.Clients); some {
				c.Rows = append(c.Rows, row)
			}
		}
	}
	return c
}

// ratioRow is one lock in one mode; some: there is something to be shown.
func ratioRow(b bench.Backend, mode string, clients []int) (row charts.Row, some bool) {
	row.Name = b.Called(mode)
	for _, n := range clients {
		v, label := -1.0, ""
		if u := b.With(n, mode); u != nil {
			if m := u.Side(bench.LockSide); m != nil && m.RateRatio != nil {
				v, some = 100*m.RateRatio.Value, true
				label = fmt.Sprintf("%.0f %%", v)
			}
		}
		row.Values, row.Labels = append(row.Values, v), append(row.Labels, label)
	}
	return row, some
}

// rates is the best throughput of locks and of the bare commands.
func rates(r bench.Report) charts.Bar {
	c := charts.Bar{Title: "Acquires with their releases a second", Log: true, Series: []string{"lock", "bare commands"},
		Note: "The best rate of all numbers of clients. Equal lengths mean equal factors."}
	for _, b := range r.Backends {
		for _, mode := range b.Alone() {
			row := charts.Row{Name: b.Called(mode)}
			for _, side := range []string{bench.LockSide, bench.BareSide} {
				v, label := b.Best(side, mode), ""
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
	}
	return c
}

func clientsText(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}
