// Package diagram draws how an anomaly came about: the leases that its witness names, step by step,
// on the lifelines of nodes, locks, clients and stores. A step is what happened in words (steps.go), from the
// evidence that the history has on those leases (evidence.go); draw.go places the steps.
package diagram

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/words"
)

// Measures of a sequence diagram, in SVG units.
const (
	Gutter    = 88  // for the times
	first     = 56  // from there to the first lifeline
	column    = 196 // between lifelines
	HeadSpace = 64
	rowSpace  = 30
	BarWidth  = 12
	Letter    = 7 // of a label, at most on average
)

// A Diagram is the sequence diagram of one anomaly, ready to be drawn.
type Diagram struct {
	ID       int // of the anomaly
	Kind     string
	Sentence string
	W, H     int
	Lines    []lifeline
	Rows     []seqRow
	Bars     []rect
	Steps    []string // the same in words
	Dropped  int
}

type lifeline struct {
	X, Y2       int
	Name, Class string
}

type rect struct {
	X, Y, W, H int
	Class      string
}

type seqRow struct {
	Y, X1, X2, TextX    int
	Head                string // points of the arrow's head
	Time, Label, Anchor string
	Class               string
	Self                bool
}

// A Set is the diagrams of a run: of the first anomaly of each kind. It is
// given every entry of the history, in order, and keeps what the diagrams need.
type Set struct {
	list      []Diagram
	anomalies []checker.Anomaly // one for each diagram
	gather    *gatherer
}

// Choose picks the anomalies that are drawn.
func Choose(res checker.Result) *Set {
	s := &Set{}
	var wanted []map[int64]bool
	id := 0
	seen := map[string]bool{}
	for _, p := range res.Properties {
		for _, a := range p.Anomalies {
			id++
			if seen[a.Kind] || len(s.list) == maxDiagrams {
				continue
			}
			seen[a.Kind] = true
			s.anomalies, wanted = append(s.anomalies, a), append(wanted, leasesOf(a.Ops))
			s.list = append(s.list, Diagram{ID: id, Kind: words.Word(a.Kind), Sentence: words.Sentence(a.Sentence)})
		}
	}
	s.gather = newGatherer(wanted)
	return s
}

// Entry takes over the next entry of the history. It keeps the pointer.
func (s *Set) Entry(op *history.Op) { s.gather.entry(op) }

// Drawn are the diagrams, once the history is at its end.
func (s *Set) Drawn() []Diagram {
	for i := range s.list {
		steps, dropped := stepsOf(s.anomalies[i], s.gather.found[i])
		s.list[i].Dropped = dropped
		s.list[i].draw(steps)
	}
	return s.list
}

func (d *Diagram) draw(steps []step) {
	names := lifelines(steps)
	x := map[string]int{}
	for i, n := range names {
		x[n] = Gutter + first + i*column
	}
	d.W = Gutter + first + max(1, len(names))*column
	for _, s := range steps {
		if s.from == s.to { // its label stands to the right of the line
			d.W = max(d.W, x[s.from]+24+Letter*utf8.RuneCountInString(s.label))
		}
	}
	d.H = HeadSpace + (len(steps)+1)*rowSpace
	for _, n := range names {
		d.Lines = append(d.Lines, lifeline{X: x[n], Y2: d.H - 8, Name: n, Class: strings.SplitN(n, " ", 2)[0]})
	}
	for i, s := range steps {
		y := HeadSpace + i*rowSpace + rowSpace/2
		d.Rows = append(d.Rows, arrow(s, x[s.from], x[s.to], y))
		d.Steps = append(d.Steps, stepWords(s))
	}
	d.Bars = holdBars(steps, x, d.H)
}

// lifelines orders what takes part: nodes, locks, clients, stores.
func lifelines(steps []step) []string {
	var out []string
	for _, s := range steps {
		for _, n := range []string{s.from, s.to} {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		if len(a) != len(b) { // client 9 before client 10
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return out
}

func rank(name string) int {
	switch {
	case strings.HasPrefix(name, "node "):
		return 0
	case strings.HasPrefix(name, "lock "):
		return 1
	case strings.HasSuffix(name, "store"):
		return 3
	}
	return 2
}

func arrow(s step, x1, x2, y int) seqRow {
	r := seqRow{Y: y, X1: x1, X2: x2, Time: words.Exact(s.time), Label: s.label, Class: s.class, Self: s.from == s.to, Anchor: "middle"}
	if s.witness {
		r.Class += " named"
	}
	if r.Self {
		r.TextX, r.Anchor = x1+14, "start"
		return r
	}
	r.TextX = (x1 + x2) / 2
	tip := 1
	if x2 < x1 {
		tip = -1
	}
	r.X2 -= tip * BarWidth / 2
	r.X1 += tip * BarWidth / 2
	r.Head = fmt.Sprintf("%d,%d %d,%d %d,%d", r.X2, y, r.X2-7*tip, y-4, r.X2-7*tip, y+4)
	return r
}

func stepWords(s step) string {
	if s.from == s.to {
		return fmt.Sprintf("%s: %s – %s", words.Exact(s.time), s.from, s.label)
	}
	return fmt.Sprintf("%s: %s → %s: %s", words.Exact(s.time), s.from, s.to, s.label)
}

// holdBars thicken the lifeline of a client while it holds a lease, in
// another colour once the validity is over.
func holdBars(steps []step, x map[string]int, height int) []rect {
	var out []rect
	for i, s := range steps {
		if !strings.HasPrefix(s.label, "granted,") {
			continue
		}
		end, valid := len(steps), len(steps)
		for j := i + 1; j < len(steps); j++ {
			o := steps[j]
			if o.lease == s.lease && o.class == "end" {
				valid = j
			}
			if o.lease == s.lease && (o.label == "release" || o.label == "killed") {
				end = j
				break
			}
		}
		y := func(row int) int { return min(HeadSpace+row*rowSpace+rowSpace/2, height-8) }
		left := x[s.to] - BarWidth/2
		valid = min(valid, end)
		out = append(out, rect{left, y(i), BarWidth, y(valid) - y(i), "hold"})
		if valid < end {
			out = append(out, rect{left, y(valid), BarWidth, y(end) - y(valid), "beyond"})
		}
	}
	return out
}
