package report

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"locktorture/checker"
	"locktorture/history"
)

// HTML writes the report of a run as one file that needs nothing else: no
// network, no other file. Its size is bounded whatever the length of the
// history: detail is kept around the anomalies and faults, and summed up
// elsewhere.
func HTML(w io.Writer, run Run, res checker.Result, h history.Source) error {
	p, err := newPage(run, res, h)
	if err != nil {
		return err
	}
	t, err := template.New("report.html.tmpl").Funcs(funcs()).ParseFS(assets, "assets/*.tmpl")
	if err != nil {
		return fmt.Errorf("parse template: %w", err)
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// page is what the template sees.
type page struct {
	Frame
	Run       Run
	Res       checker.Result
	Grade     checker.Grade
	Headline  string
	Cards     []card
	Props     []propView
	Diagrams  []diagram
	Story     *storyView // of a scripted run, in place of the diagrams
	Measures  []measure
	Bands     []band
	Clients   []clientRow
	Facts     []card
	Limits    []string
	Data      template.JS
	Truncated string
}

// A card is a name with a value.
type card struct{ Name, Value, Class string }

// A propView is a property with its anomalies, numbered over the whole page.
type propView struct {
	checker.Property
	Kinds     []kind
	Anomalies []anomalyView
}

type anomalyView struct {
	ID int
	checker.Anomaly
	Rows []witnessRow
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
	Faults    []band        `json:"faults"`
	Anomalies []anomalyMark `json:"anomalies"`
	Series    series        `json:"series"`
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

func newPage(run Run, res checker.Result, h history.Source) (*page, error) {
	head, err := newFrame(word(string(grade(res)))+" – "+headline(run), runScripts)
	if err != nil {
		return nil, err
	}
	view, err := overviewOf(h)
	if err != nil {
		return nil, err
	}
	p := &page{Frame: head, Run: run, Res: res, Grade: grade(res), Headline: headline(run)}
	p.Bands = view.bands
	p.Props = propViews(res)
	p.Measures = measured(res.Measures)
	p.Cards = cards(res)
	p.Facts = facts(run)
	p.Limits = limits(run, res)
	if p.Data, err = p.draw(h, view); err != nil {
		return nil, err
	}
	if run.Scenario != "" { // a script is short
		list, err := all(h)
		if err != nil {
			return nil, err
		}
		p.Story, p.Diagrams = storyOf(run, res, list), nil
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
func (p *page) draw(h history.Source, view *overview) (template.JS, error) {
	b := newBuilder(view)
	d := dataset{End: b.end, Lanes: b.lanes, Faults: p.Bands}
	d.Anomalies = marks(p.Props, b)
	d.Detail = view.crowd.windows(moments(d), b.end)
	if view.crowd.total > maxItems {
		b.windows, b.sum = d.Detail, newSum(&b.timeline)
	}
	diagrams, collect := chooseDiagrams(p.Res), newCollector(view.end, view.grants)
	err := h.Each(func(op *history.Op) error {
		diagrams.entry(op)
		collect.entry(op)
		if op.Process != history.Nemesis {
			b.entry(op)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	b.finishAll()
	p.Diagrams = diagrams.drawn()
	stats := collect.statistics()
	p.Clients, d.Series = stats.clients, stats.series
	if b.sum != nil {
		d.Bins, d.Cells = b.sum.bins, base64.StdEncoding.EncodeToString(b.sum.encode())
		p.Truncated = fmt.Sprintf("This run has %s waits, holds and accesses. The %s nearest to anomalies and faults are shown one by one, the others summed up in %d stretches of time.",
			count(b.total), count(len(b.items)), b.sum.bins)
	}
	d.Locks, d.Texts, d.Count = b.locks.list, b.texts.list, len(b.items)
	d.Items = base64.StdEncoding.EncodeToString(encode(b.items))
	return embedded(d)
}

// maxBandRows bounds the table of faults; the timeline shows all of them.
const maxBandRows = 200

// moments are where detail matters: at anomalies, else at faults.
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
