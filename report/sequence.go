package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"locktorture/checker"
	"locktorture/history"
)

// Measures of a sequence diagram, in SVG units.
const (
	gutter    = 88  // for the times
	first     = 56  // from there to the first lifeline
	column    = 196 // between lifelines
	headSpace = 64
	rowSpace  = 30
	barWidth  = 12
	letter    = 7 // of a label, at most on average
)

// A diagram is the sequence diagram of one anomaly, ready to be drawn.
type diagram struct {
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

// A diagramSet is the diagrams of a run: of the first anomaly of each kind. It is
// given every entry of the history, in order, and keeps what the diagrams need.
type diagramSet struct {
	list      []diagram
	anomalies []checker.Anomaly // one for each diagram
	gather    *gatherer
}

// chooseDiagrams picks the anomalies that are drawn.
func chooseDiagrams(res checker.Result) *diagramSet {
	s := &diagramSet{}
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
			s.list = append(s.list, diagram{ID: id, Kind: word(a.Kind), Sentence: sentence(a.Sentence)})
		}
	}
	s.gather = newGatherer(wanted)
	return s
}

// entry takes over the next entry of the history. It keeps the pointer.
func (s *diagramSet) entry(op *history.Op) { s.gather.entry(op) }

// drawn are the diagrams, once the history is at its end.
func (s *diagramSet) drawn() []diagram {
	for i := range s.list {
		steps, dropped := stepsOf(s.anomalies[i], s.gather.found[i])
		s.list[i].Dropped = dropped
		s.list[i].draw(steps)
	}
	return s.list
}

func (d *diagram) draw(steps []step) {
	names := lifelines(steps)
	x := map[string]int{}
	for i, n := range names {
		x[n] = gutter + first + i*column
	}
	d.W = gutter + first + max(1, len(names))*column
	for _, s := range steps {
		if s.from == s.to { // its label stands to the right of the line
			d.W = max(d.W, x[s.from]+24+letter*utf8.RuneCountInString(s.label))
		}
	}
	d.H = headSpace + (len(steps)+1)*rowSpace
	for _, n := range names {
		d.Lines = append(d.Lines, lifeline{X: x[n], Y2: d.H - 8, Name: n, Class: strings.SplitN(n, " ", 2)[0]})
	}
	for i, s := range steps {
		y := headSpace + i*rowSpace + rowSpace/2
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
	r := seqRow{Y: y, X1: x1, X2: x2, Time: exact(s.time), Label: s.label, Class: s.class, Self: s.from == s.to, Anchor: "middle"}
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
	r.X2 -= tip * barWidth / 2
	r.X1 += tip * barWidth / 2
	r.Head = fmt.Sprintf("%d,%d %d,%d %d,%d", r.X2, y, r.X2-7*tip, y-4, r.X2-7*tip, y+4)
	return r
}

func stepWords(s step) string {
	if s.from == s.to {
		return fmt.Sprintf("%s: %s – %s", exact(s.time), s.from, s.label)
	}
	return fmt.Sprintf("%s: %s → %s: %s", exact(s.time), s.from, s.to, s.label)
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
		y := func(row int) int { return min(headSpace+row*rowSpace+rowSpace/2, height-8) }
		left := x[s.to] - barWidth/2
		valid = min(valid, end)
		out = append(out, rect{left, y(i), barWidth, y(valid) - y(i), "hold"})
		if valid < end {
			out = append(out, rect{left, y(valid), barWidth, y(end) - y(valid), "beyond"})
		}
	}
	return out
}
