// Package charts writes measurements as bars and lines on one page.
package charts

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"locktorture/report/frame"
)

// A Page is measurements as charts, on one page that needs nothing else.
type Page struct {
	Title string
	Lead  string // what was measured, on what
	Bars  []Bar
	Lines []Line
	Text  string // all figures, as a table in plain text
}

// A Bar is a bar chart. It compares named things; each has a bar for every series.
type Bar struct {
	Title  string
	Note   string
	Series []string
	Rows   []Row
	// Mark is a value at which a line is drawn; 0: none.
	Mark float64
	// Log makes equal lengths equal factors.
	Log bool
}

// A Row is the values of one thing, negative where there is none, and how
// they are written.
type Row struct {
	Name   string
	Values []float64
	Labels []string
}

// A Line is a line chart, drawn by uPlot. Values of a series are nil where there are none.
type Line struct {
	Title  string
	X      string // what the horizontal axis is
	At     []float64
	Log    bool // the vertical axis
	Series []Series
}

// A Series is one line.
type Series struct {
	Name   string     `json:"name"`
	Values []*float64 `json:"values"`
}

//go:embed assets
var assets embed.FS

// chartView is what the template sees.
type chartView struct {
	frame.Frame
	Page Page
	Bars []barView
	Data template.JS
}

// Write writes the page.
func Write(w io.Writer, p Page) error {
	head, err := frame.New(p.Title, assets, "vendor/uplot-1.6.32.iife.min.js", "theme.js", "charts.js", "chartpage.js")
	if err != nil {
		return err
	}
	type line struct {
		X      string    `json:"x"`
		At     []float64 `json:"at"`
		Log    bool      `json:"log"`
		Series []Series  `json:"series"`
	}
	lines := []line{}
	for _, l := range p.Lines {
		lines = append(lines, line{l.X, l.At, l.Log, l.Series})
	}
	data, err := frame.JSON(lines)
	if err != nil {
		return err
	}
	v := chartView{Frame: head, Page: p, Data: data}
	for _, b := range p.Bars {
		v.Bars = append(v.Bars, b.view())
	}
	t, err := frame.Parse("charts.html.tmpl", nil, assets)
	if err != nil {
		return err
	}
	if err := t.Execute(w, v); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// A barView is a bar chart with its places on the canvas.
type barView struct {
	Bar
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

func (c Bar) view() barView {
	v := barView{Bar: c, Width: barLeft + barRoom + barRight}
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

// After returns where the label of a bar begins, Below the line that it stands on.
func (s barShape) After() int { return s.X + s.Width + 5 }

// Below returns the line on which the label stands.
func (s barShape) Below() int { return s.Y + s.Height - 2 }

// Square returns the left edge of a legend's square.
func (n barName) Square() int { return n.X - 14 }
