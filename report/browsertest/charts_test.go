package browsertest

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/report/charts"
	"locktorture/report/serve"
)

func TestComparisonFits(t *testing.T) {
	server := httptest.NewServer(serve.Handler(directory(t), nil))
	t.Cleanup(server.Close)
	everyScreen(t, "compare", server.URL+"/compare?run=20260101-150405-redlock-7&run=20260102-150405-redlock-8", `document.querySelectorAll("tr.attention").length > 3`)
}

// TestChartsFit: a page like that of torture bench, with the longest name of a lock, a bar over
// the whole width and tables of 150 characters.
func TestChartsFit(t *testing.T) {
	bar := charts.Bar{Title: "Throughput, in % of the bare commands", Mark: 100, Note: "As many locks as clients.", Series: []string{"1 client", "4 clients", "16 clients", "64 clients"}}
	line := charts.Line{Title: "What a TTL costs, in parts of a million", X: "TTL in s", Log: true, At: []float64{0.5, 1, 2, 5, 10}}
	for i, name := range []string{"redis-set", "redisson-fenced-multi", "postgres-advisory-transaction", "etcd-concurrency"} {
		row, series := charts.Row{Name: name}, charts.Series{Name: name + ", overruns a million sections"}
		for n := range bar.Series {
			v := float64(20 + 45*i*n)
			row.Values, row.Labels = append(row.Values, v), append(row.Labels, fmt.Sprintf("%.0f %% of 123,456", v))
		}
		for _, x := range line.At {
			v := 1e6 / x / float64(i+1)
			series.Values = append(series.Values, &v)
		}
		bar.Rows, line.Series = append(bar.Rows, row), append(line.Series, series)
	}
	path := filepath.Join(t.TempDir(), "charts.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat(strings.Repeat("figure    ", 15)+"\n", 5)
	if err := charts.Write(f, charts.Page{Title: "torture bench: what locks cost", Lead: "Measured on this machine.", Bars: []charts.Bar{bar}, Lines: []charts.Line{line}, Text: text}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	everyScreen(t, "charts", (&url.URL{Scheme: "file", Path: path}).String(), `document.querySelector("#line-0 canvas")`)
}
