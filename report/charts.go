package report

import (
	"fmt"
	"html/template"
	"io"
	"math"
)

// A ChartPage is measurements as charts, on one page that needs nothing else.
type ChartPage struct {
	Title string
	Lead  string // what was measured, on what
	Bars  []BarChart
	Lines []LineChart
	Text  string // all figures, as a table in plain text
}

// A BarChart compares named things; each has a bar for every series.
type BarChart struct {
	Title  string
	Note   string
	Series []string
	Rows   []BarRow
	// Mark is a value at which a line is drawn; 0: none.
	Mark float64
	// Log makes equal lengths equal factors.
	Log bool
}

// A BarRow is the values of one thing, negative where there is none, and how
// they are written.
type BarRow struct {
	Name   string
	Values []float64
	Labels []string
}

// A LineChart is drawn by uPlot. Values of a series are nil where there are none.
type LineChart struct {
	Title  string
	X      string // what the horizontal axis is
	At     []float64
	Log    bool // the vertical axis
	Series []LineSeries
}

// A LineSeries is one line.
type LineSeries struct {
	Name   string     `json:"name"`
	Values []*float64 `json:"values"`
}

// chartScripts are those of a page of charts.
var chartScripts = []string{"vendor/uplot-1.6.32.iife.min.js", "theme.js", "charts.js", "chartpage.js"}

// chartView is what the template sees.
type chartView struct {
	Frame
	Page ChartPage
	Bars []barView
	Data template.JS
}

// WriteCharts writes the page.
func WriteCharts(w io.Writer, p ChartPage) error {
	head, err := newFrame(p.Title, chartScripts)
	if err != nil {
		return err
	}
	type line struct {
		X      string       `json:"x"`
		At     []float64    `json:"at"`
		Log    bool         `json:"log"`
		Series []LineSeries `json:"series"`
	}
	lines := []line{}
	for _, l := range p.Lines {
		lines = append(lines, line{l.X, l.At, l.Log, l.Series})
	}
	data, err := embedded(lines)
	if err != nil {
		return err
	}
	v := chartView{Frame: head, Page: p, Data: data}
	for _, b := range p.Bars {
		v.Bars = append(v.Bars, b.view())
	}
	t, err := template.New("charts.html.tmpl").Funcs(funcs()).ParseFS(assets, "assets/*.tmpl")
	if err != nil {
		return fmt.Errorf("parse template: %w", err)
	}
	if err := t.Execute(w, v); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// A barView is a bar chart with its places on the canvas.
type barView struct {
	BarChart
	Width, Height int
	Bars          []barShape
	Names         []barName
	Legend        []barName
	MarkAt        int // 0: none
}

type barShape struct {
	X, Y, Width, Height int
	Color, Label        string
}

type barName struct {
	X, Y        int
	Name, Color string
}

// Sizes of a bar chart, in pixels.
const (
	barLeft, barRoom, barRight = 190, 560, 130
	barHigh, barGap            = 13, 9
	barTop                     = 28
)

// barColors are variables of the style sheet.
var barColors = []string{"var(--hold)", "var(--calls)", "var(--calm)", "var(--wait)"}

func (c BarChart) view() barView {
	v := barView{BarChart: c, Width: barLeft + barRoom + barRight}
	least, most := math.Inf(1), c.Mark
	for _, r := range c.Rows {
		for _, x := range r.Values {
			if x > 0 {
				least, most = min(least, x), max(most, x)
			}
		}
	}
	length := func(x float64) int {
		if x <= 0 || most <= 0 {
			return 0
		}
		if c.Log {
			low := math.Log10(least) - 0.3
			return int(math.Round(barRoom * (math.Log10(x) - low) / (math.Log10(most) - low)))
		}
		return int(math.Round(barRoom * x / most))
	}
	for i, s := range c.Series {
		v.Legend = append(v.Legend, barName{barLeft + 150*i, 12, s, barColors[i%len(barColors)]})
	}
	y := barTop
	for _, r := range c.Rows {
		v.Names = append(v.Names, barName{X: barLeft - 8, Y: y + (barHigh*len(r.Values))/2 + 4, Name: r.Name})
		for i, x := range r.Values {
			if x >= 0 {
				v.Bars = append(v.Bars, barShape{barLeft, y, max(1, length(x)), barHigh - 1, barColors[i%len(barColors)], r.Labels[i]})
			}
			y += barHigh
		}
		y += barGap
	}
	v.Height = y
	if c.Mark > 0 {
		v.MarkAt = barLeft + length(c.Mark)
	}
	return v
}

// After is where the label of a bar begins, Below the line that it stands on.
func (s barShape) After() int { return s.X + s.Width + 5 }

// Below is the line on which the label stands.
func (s barShape) Below() int { return s.Y + s.Height - 2 }

// Square is the left edge of a legend's square.
func (n barName) Square() int { return n.X - 14 }
