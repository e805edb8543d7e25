package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"locktorture/conform"
	"locktorture/report/charts"
)

// conformPage writes the verdict as a page: how the bursts ended, and all that the text says.
func conformPage(file string, v conform.Verdict, text string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	lead := []string{strings.Join(v.Endpoints, ", "), v.Server, strconv.Itoa(v.Clients) + " clients",
		time.Duration(v.Took).Round(time.Millisecond).String(), "seed " + strconv.FormatUint(v.Seed, 10)}
	if v.Server == "" {
		lead[1] = "a store that does not name its software"
	}
	bar := charts.Bar{
		Title: "Bursts, by the number of clients that got the answer that they had won",
		Note:  "Exactly one client can win. If no client got this answer, a put without an answer may have won.", Series: []string{"one", "none", "two and more"},
	}
	for _, g := range v.Groups {
		row := charts.Row{Name: g.Kind + " · " + g.Fault}
		for _, n := range []int{g.One, g.None, g.More} {
			row.Values, row.Labels = append(row.Values, float64(n)), append(row.Labels, strconv.Itoa(n))
		}
		bar.Rows = append(bar.Rows, row)
	}
	return errors.Join(charts.Write(f, charts.Page{
		Title: "Object store: " + v.Grade, Lead: strings.Join(lead, " · "), Bars: []charts.Bar{bar}, Text: text,
	}), f.Close())
}
