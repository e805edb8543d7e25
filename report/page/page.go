// Package page writes the report of one run as HTML: the verdict, its properties with their
// witnesses, a timeline of all clients, diagrams, charts and what the run does not cover.
package page

import (
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/diagram"
	"locktorture/report/frame"
	"locktorture/report/story"
	"locktorture/report/verdict"
	"locktorture/report/votes"
	"locktorture/report/words"
	"locktorture/timeline"
)

//go:embed assets
var assets embed.FS

// scripts returns the script files of the page, in load order.
func scripts() []string {
	return []string{"vendor/uplot-1.6.32.iife.min.js", "theme.js", "decode.js", "draw.js", "details.js", "interact.js", "cursor.js", "state.js", "pointers.js", "charts.js", "main.js"}
}

// Write writes the report of a run as one file that needs nothing else: no
// network, no other file. Its size is bounded whatever the length of the
// history: detail is kept around the anomalies and faults, and summed up
// elsewhere.
func Write(w io.Writer, run report.Run, res checker.Result, h history.Source) error {
	return WriteTraced(w, run, res, h, Recorded{})
}

// Recorded is what there is of a run besides its history.
type Recorded struct {
	Traffic votes.Traffic // nil: it was not recorded
	Points  Points
}

// WriteTraced is Write for a run of which more was recorded: with its traffic the drawings have
// what servers answered.
func WriteTraced(w io.Writer, run report.Run, res checker.Result, h history.Source, more Recorded) error {
	p, err := newPage(run, res, h, more)
	if err != nil {
		return err
	}
	t, err := frame.Parse("report.html.tmpl", template.FuncMap{"struck": Band.Struck}, assets, story.Templates(), diagram.Templates())
	if err != nil {
		return err
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// A view is what the template sees.
type view struct {
	frame.Frame
	Run       report.Run
	Res       checker.Result
	Grade     checker.Grade
	Headline  string
	Setting   string // TTL, versions and date
	Cards     []Card
	Props     []propView
	Incidents []incidentView
	Diagrams  []diagram.Diagram
	Story     *story.View // of a scripted run, in place of the diagrams
	Points    *pointsView // of a run whose faults struck at points
	Measures  []verdict.Measure
	Bands     []Band
	Clients   []clientRow
	Facts     []Card
	Limits    []string
	Data      template.JS
	Truncated string
}

// Because returns the sentence of the verdict, or "" where the headline or a drawing has it.
func (p *view) Because() string {
	text := verdict.Sentence(p.Res)
	for _, d := range p.Diagrams {
		if d.Sentence == text {
			return ""
		}
	}
	if text == verdict.Headline(p.Res) {
		return ""
	}
	return text
}

// A Card is a name with a value.
type Card struct{ Name, Value, Class string }

// A propView is a property with its anomalies, numbered over the whole page.
type propView struct {
	checker.Property
	Kinds     []verdict.Kind
	Anomalies []anomalyView
}

type anomalyView struct {
	ID int
	checker.Anomaly
	Rows  []witnessRow
	Drawn bool // the drawing has its sentence
}

// A witnessRow is an entry of a witness as a reader wants it.
type witnessRow struct{ Time, Who, What, Detail, Class string }

// dataset is what the page's scripts get.
type dataset struct {
	End       int64         `json:"end"` // µs
	Lanes     []string      `json:"lanes"`
	Locks     []string      `json:"locks"`
	Texts     []string      `json:"texts"`
	Count     int           `json:"count"`
	Items     string        `json:"items"` // base64, see encode
	Bins      int           `json:"bins"`
	Cells     string        `json:"cells"`
	Detail    []stretch     `json:"detail"` // where items are kept one by one
	Faults    []Band        `json:"faults"`
	Anomalies []anomalyMark `json:"anomalies"`
	Series    series        `json:"series"`
	Cursor    cursorData    `json:"cursor"`
}

// An anomalyMark is where an anomaly stands on the timeline.
type anomalyMark struct {
	ID     int     `json:"id"`
	Kind   string  `json:"kind"`
	Lock   int     `json:"lock"`
	Time   int64   `json:"time"` // µs
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Lanes  []int   `json:"lanes"`
	Leases []int64 `json:"leases"`
}

func newPage(run report.Run, res checker.Result, h history.Source, more Recorded) (*view, error) {
	head, err := frame.New(words.Word(string(verdict.Grade(res)))+" – "+report.Headline(run), assets, scripts()...)
	if err != nil {
		return nil, err
	}
	h, run.Options = timeline.Bounded(h, run.Options)
	seen, err := overviewOf(h)
	if err != nil {
		return nil, err
	}
	p := &view{Frame: head, Run: run, Res: res, Grade: verdict.Grade(res), Headline: report.Title(run, res), Setting: setting(run)}
	p.Bands = seen.bands
	if p.Points = more.Points.view(p.Bands, run.Reproduce); p.Points != nil {
		p.Points.Simulated = run.Provisioner == report.Simulated
	}
	p.Props = propViews(res)
	p.Incidents = incidentViews(res.Incidents.List, p.Props)
	p.Measures = verdict.Measures(res.Measures)
	p.Cards = cards(run, res)
	p.Facts = Facts(run)
	p.Limits = limits(run, res)
	if p.Data, err = p.draw(h, seen, more.Traffic); err != nil {
		return nil, err
	}
	if run.Scenario != "" { // a script is short
		list, err := all(h)
		if err != nil {
			return nil, err
		}
		p.Diagrams = nil
		if p.Story, err = story.Of(run, res, list, more.Traffic); err != nil {
			return nil, err
		}
	}
	if len(p.Bands) > maxBandRows {
		p.Bands = p.Bands[:maxBandRows]
	}
	return p, nil
}

// all reads a short history.
func all(h history.Source) (list history.History, err error) {
	err = h.Each(func(op *history.Op) error {
		list = append(list, *op)
		return nil
	})
	return list, err
}

// draw reads the history for what the page shows of it.
func (p *view) draw(h history.Source, seen *overview, traffic votes.Traffic) (template.JS, error) {
	b := newBuilder(seen)
	d := dataset{End: b.end, Lanes: b.lanes, Faults: p.Bands}
	d.Anomalies = marks(p.Props, b)
	d.Detail = seen.crowd.windows(moments(d), b.end, maxItems)
	if seen.crowd.total > maxItems {
		b.windows, b.sum = d.Detail, newSum(&b.picture)
	}
	diagrams, collect, cursor := diagram.Choose(p.Res), newCollector(seen.end, seen.grants), newCursorLog(seen, moments(d))
	past, err := timeline.Survey(h, p.Run.Options)
	if err != nil {
		return "", err
	}
	open, err := timeline.Walk(h, past, func(e timeline.Entry) error {
		diagrams.Entry(e)
		collect.entry(e)
		cursor.entry(e)
		b.entry(e)
		return nil
	})
	if err != nil {
		return "", err
	}
	b.finishAll(open)
	if err := diagrams.Trace(p.Run.Nodes, traffic); err != nil {
		return "", err
	}
	p.Diagrams = diagrams.Drawn()
	if p.Run.Scenario == "" { // else there is the story in their place
		p.markDrawn()
	}
	stats := collect.statistics()
	p.Clients, d.Series = stats.clients, stats.series
	if b.sum != nil {
		d.Bins, d.Cells = b.sum.bins, base64.StdEncoding.EncodeToString(b.sum.encode())
		p.Truncated = fmt.Sprintf("This run has %s waits, holds and accesses. The %s nearest to anomalies and faults are shown one by one. The others are summed up in %d stretches of time.",
			words.Count(b.total), words.Count(len(b.items)), b.sum.bins)
	}
	d.Cursor = cursor.data(p.Incidents)
	d.Locks, d.Texts, d.Count = b.locks.list, b.texts.list, len(b.items)
	d.Items = base64.StdEncoding.EncodeToString(encode(b.items))
	return frame.JSON(d)
}

// markDrawn notes what has a drawing: its sentence stands there.
func (p *view) markDrawn() {
	drawn := map[int]bool{}
	for _, d := range p.Diagrams {
		drawn[d.ID] = true
	}
	for _, prop := range p.Props {
		for i := range prop.Anomalies {
			prop.Anomalies[i].Drawn = drawn[prop.Anomalies[i].ID]
		}
	}
	for i, v := range p.Incidents {
		if drawn[v.Link] {
			p.Incidents[i].Drawn = v.Link
		}
	}
}

// maxBandRows bounds the table of faults; the timeline shows all of them.
const maxBandRows = 200

// moments returns where detail matters: at anomalies, else at faults.
func moments(d dataset) []int64 {
	var out []int64
	for _, a := range d.Anomalies {
		out = append(out, a.From, a.Time)
	}
	for _, f := range d.Faults {
		if len(out) < 400 {
			out = append(out, f.From)
		}
	}
	return out
}
