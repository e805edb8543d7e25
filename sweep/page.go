package sweep

import (
	"fmt"
	"io"
	"strings"

	"locktorture/report/charts"
)

// page writes the table and the chart with both curves.
func (r Report) page(w io.Writer) error {
	var text strings.Builder
	if err := r.Text(&text); err != nil {
		return err
	}
	return charts.Write(w, charts.Page{
		Title: fmt.Sprintf("torture sweep: which TTL for %s", r.Backend),
		Lead:  r.Advice,
		Lines: []charts.Line{r.curves()},
		Text:  text.String(),
	})
}

// curves is one chart: both are shares in parts of a million, so that they have one axis.
func (r Report) curves() charts.Line {
	c := charts.Line{Title: "What a TTL costs, in parts of a million", X: "TTL in s", Log: true}
	overruns := charts.Series{Name: "overruns a million sections"}
	out := charts.Series{Name: "seconds without the lock in a million"}
	for _, t := range r.TTLs {
		c.At = append(c.At, t.TTL.Seconds())
		overruns.Values = append(overruns.Values, positive(t.OverrunsPerMillion))
		out.Values = append(out.Values, positive(1e6*t.Share))
	}
	c.Series = []charts.Series{overruns, out}
	return c
}

// positive is a value that an axis of factors can show; nil if there is none.
func positive(v float64) *float64 {
	if v <= 0 {
		return nil
	}
	return &v
}
