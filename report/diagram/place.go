package diagram

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/report/words"
)

// Measures of a sequence diagram, in SVG units.
const (
	Gutter     = 64   // for the times
	first      = 48   // from there to the first lifeline
	column     = 208  // between lifelines
	narrowest  = 140  // the same where there are many
	widest     = 270  // and at most
	closest    = 118  // between those of servers where they vote
	page       = 1180 // width that a page has
	HeadSpace  = 64
	BarWidth   = 12
	Letter     = 7  // of a label, at most on average
	lineHeight = 14 // height of a line of a label
	aside      = 14 // from a lifeline to the label of its event
	lineChars  = (column - aside - BarWidth) / Letter
)

// draw places the steps below each other, those that differ in the server alone in one row. Every label has rows of its own and stays between
// two neighbouring lifelines, so that it meets neither a lifeline nor another label.
func (d *Diagram) draw(steps []step) {
	steps = collapse(steps)
	if width(steps) > page {
		steps = gathered(steps)
	}
	names := lifelines(steps)
	beside := spacing(steps, names)
	x := map[string]int{}
	d.W = Gutter + first
	for _, n := range names {
		x[n] = d.W
		d.W += beside(n)
	}
	y := HeadSpace
	for _, s := range steps {
		var r seqRow
		room := beside(s.from)
		if s.from != s.to {
			room = between(x, names, s)
		}
		r, y = row(s, x[s.from], x[s.to], y, room)
		for _, n := range s.on {
			if n != s.from && n != s.to {
				r.Dots = append(r.Dots, x[n])
			}
		}
		d.Rows = append(d.Rows, r)
		d.Noted = d.Noted || s.class == noteClass
	}
	d.H = y + 16
	for _, n := range names {
		d.Lines = append(d.Lines, lifeline{X: x[n], Y2: d.H - 8, Name: n, Class: strings.SplitN(n, " ", 2)[0]})
	}
	d.Bars = append(d.takenBars(steps, x), d.holdBars(steps, x)...)
}

// between returns how much room the label of an arrow has: up to the next lifeline, at the end
// where it stands.
func between(x map[string]int, names []string, s step) int {
	at, other := x[s.from], x[s.to]
	if rank(s.to) == clientRank {
		at, other = other, at
	}
	room := max(at-other, other-at)
	for _, n := range names {
		if d := x[n] - at; d != 0 && (d > 0) == (other > at) {
			room = min(room, max(d, -d))
		}
	}
	return room
}

// besideServer returns how far the next lifeline is: between, or less from a server's, where
// only its own name and faults stand.
func besideServer(name string, between int) int {
	if !strings.HasPrefix(name, "node ") {
		return between
	}
	return min(between, max(closest, (Letter+1)*len(name)))
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
		if len(a) != len(b) { // c9 before c10
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return out
}

// The ranks of lifelines, from left to right.
const (
	nodeRank = iota
	lockRank
	clientRank
	storeRank
)

func rank(name string) int {
	switch {
	case strings.HasPrefix(name, "node "), strings.HasSuffix(name, " servers"):
		return nodeRank
	case strings.HasPrefix(name, "lock "):
		return lockRank
	case strings.HasSuffix(name, "store"):
		return storeRank
	}
	return clientRank
}

// row places a step below top, where lifelines stand so far between each other, and returns
// where the next begins.
func row(s step, x1, x2, top, between int) (seqRow, int) {
	r := seqRow{X1: x1, X2: x2, Time: words.At(s.time), Stamp: words.Stamp(s.time), Class: s.class, Self: s.from == s.to, Anchor: "middle"}
	if s.witness {
		r.Class += " named"
	}
	for i, line := range Fold(s.label, (between-aside-BarWidth)/Letter) {
		r.Label = append(r.Label, textLine{top + 16 + i*lineHeight, line})
	}
	height := len(r.Label) * lineHeight
	if r.Self {
		r.Y, r.TextX, r.Anchor = top+12, x1+aside, "start"
		return r, top + height + 12
	}
	r.Y = top + height + 8
	tip := 1
	if x2 < x1 {
		tip = -1
	}
	r.TextX = x1 + tip*between/2
	if rank(s.to) == clientRank { // beside the client, whichever way the arrow points
		r.TextX = x2 - tip*between/2
	}
	r.X2 -= tip * BarWidth / 2
	r.X1 += tip * BarWidth / 2
	r.Head = fmt.Sprintf("%d,%d %d,%d %d,%d", r.X2, r.Y, r.X2-7*tip, r.Y-4, r.X2-7*tip, r.Y+4)
	return r, top + height + 16
}

func stepWords(s step) string {
	if s.from == s.to {
		return fmt.Sprintf("%s: %s – %s", words.At(s.time), s.from, s.label)
	}
	return fmt.Sprintf("%s: %s → %s: %s", words.At(s.time), s.from, s.to, s.label)
}
