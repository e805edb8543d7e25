package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A geometry says how a story is laid out: wide, with labels on the arrows, or
// narrow, for a telephone, with every label on lines of its own above its arrow.
type geometry struct {
	width  int // of the drawing, in SVG units
	left   int // of the first lifeline
	nodes  int // between the lifelines of nodes
	most   int // between the others, at most
	right  int // kept free beside the last lifeline
	row    int // height of a row without its text
	line   int // height of a line of text
	chars  int // that fit into the width
	narrow bool
}

var (
	wideStory   = geometry{width: 1180, left: 130, nodes: 66, most: 270, right: 130, row: 30, line: 16, chars: 178}
	narrowStory = geometry{width: 350, left: 26, nodes: 24, most: 110, right: 34, row: 18, line: 14, chars: 56, narrow: true}
)

// A drawing is a story in SVG units, ready to be written.
type drawing struct {
	W, H   int
	Narrow bool
	Heads  []text
	Lines  []stroke
	Boxes  []rect
	Dots   []dot
	Arrows []arrowShape
	Texts  []text
}

type text struct {
	X, Y                int
	Text, Anchor, Class string
}

type stroke struct {
	X1, Y1, X2, Y2 int
	Class          string
}

type dot struct {
	X, Y  int
	Class string
}

type arrowShape struct {
	stroke
	Head string // points
}

// layout places the actors and gives every row its height.
type layout struct {
	geometry
	drawing
	x     map[string]int
	y     []int // of the row's arrow
	story Story
}

// draw lays a story out.
func (s Story) draw(g geometry) drawing {
	l := layout{geometry: g, story: s, x: map[string]int{}}
	l.Narrow = g.narrow
	l.place()
	y := headSpace
	for _, e := range s.events {
		y = l.row(e, y)
	}
	l.W, l.H = g.width, y+12
	for _, a := range s.actors {
		l.Lines = append(l.Lines, stroke{l.x[a.id], headSpace - 20, l.x[a.id], l.H - 6, a.kind})
	}
	l.spells()
	return l.drawing
}

// place gives every lifeline its column.
func (l *layout) place() {
	nodes, others := 0, 0
	for _, a := range l.story.actors {
		if a.kind == "node" {
			nodes++
		} else {
			others++
		}
	}
	step := l.most
	if others > 1 {
		step = min(step, (l.width-l.left-l.right-nodes*l.nodes-l.nodes/2)/(others-1))
	}
	x := l.left
	for i, a := range l.story.actors {
		if i > 0 && a.kind != "node" && l.story.actors[i-1].kind == "node" {
			x += l.nodes / 2
		}
		l.x[a.id] = x
		name := a.name
		if l.narrow || a.kind == "node" && l.nodes < letter*utf8.RuneCountInString(name) {
			name = a.short
		}
		l.Heads = append(l.Heads, text{x, 26, name, "middle", a.kind})
		if a.kind == "node" {
			x += l.nodes
		} else {
			x += step
		}
	}
}

// row draws an event below y and returns where the next begins.
func (l *layout) row(e event, y int) int {
	class := e.class
	if e.named {
		class += " named"
	}
	if e.from == "" && len(e.over) == 0 {
		return l.banner(e, y)
	}
	label := e.label
	if l.narrow {
		lines := wrap(at(e.time)+"  "+label, l.chars)
		for i, t := range lines {
			l.Texts = append(l.Texts, text{4, y + 12 + i*l.line, t, "start", class})
		}
		y += len(lines) * l.line
	}
	mid := y + l.geometry.row/2
	l.y = append(l.y, mid)
	if !l.narrow {
		l.Texts = append(l.Texts, text{6, mid + 4, at(e.time), "start", "time"})
	}
	switch {
	case len(e.over) > 0:
		most := 0
		for _, id := range e.over {
			l.Dots = append(l.Dots, dot{l.x[id], mid, class})
			most = max(most, l.x[id])
		}
		l.beside(most, mid, label, class)
	case e.from == e.to:
		l.Dots = append(l.Dots, dot{l.x[e.from], mid, class})
		l.beside(l.x[e.from], mid, label, class)
	default:
		l.arrow(e, mid, class)
	}
	return y + l.geometry.row
}

// beside writes a label to the right of a lifeline, or to its left where that has more room.
func (l *layout) beside(x, mid int, label, class string) {
	if l.narrow {
		return
	}
	if long := letter * utf8.RuneCountInString(label); x+14+long > l.width && x > l.width/2 {
		l.Texts = append(l.Texts, text{x - 14, mid + 4, label, "end", class})
		return
	}
	l.Texts = append(l.Texts, text{x + 14, mid + 4, label, "start", class})
}

// arrow draws a message, slanting where it was under way for several rows.
func (l *layout) arrow(e event, mid int, class string) {
	x1, x2, y1 := l.x[e.from], l.x[e.to], mid
	if e.sent > 0 && e.sent <= len(l.y) {
		y1 = l.y[e.sent-1]
		class += " late"
	}
	tip := 1
	if x2 < x1 {
		tip = -1
	}
	centre := (x1 + x2) / 2
	x1, x2 = x1+tip*barWidth/2, x2-tip*barWidth/2
	l.Arrows = append(l.Arrows, arrowShape{stroke{x1, y1, x2, mid, class}, fmt.Sprintf("%d,%d %d,%d %d,%d", x2, mid, x2-8*tip, mid-4, x2-8*tip, mid+4)})
	if l.narrow {
		return
	}
	half := letter * utf8.RuneCountInString(e.label) / 2
	if e.sent > 0 { // below its end, where it belongs in time
		l.Texts = append(l.Texts, text{x2 - tip*6, mid + 16, e.label, map[int]string{1: "end", -1: "start"}[tip], class})
		return
	}
	l.Texts = append(l.Texts, text{max(gutter+half, min(l.width-half, centre)), mid - 5, e.label, "middle", class})
}

// banner is a row over all lifelines: what was violated, and the proof.
func (l *layout) banner(e event, y int) int {
	lines := wrap(e.more, l.chars)
	if e.more == "" {
		lines = nil
	}
	height := 24 + len(lines)*l.line
	l.y = append(l.y, y+height/2)
	l.Boxes = append(l.Boxes, rect{2, y + 4, l.width - 4, height, "banner " + e.class})
	l.Texts = append(l.Texts, text{12, y + 20, e.label, "start", "title " + e.class})
	for i, t := range lines {
		l.Texts = append(l.Texts, text{12, y + 20 + (i+1)*l.line, t, "start", "proof"})
	}
	return y + height + 10
}

// spells draws the bars of leases and faults.
func (l *layout) spells() {
	end := func(row int) int {
		if row < len(l.y) {
			return l.y[row]
		}
		return l.H - 8
	}
	var boxes []rect
	for i, list := range [][]spell{l.story.bands, l.story.holds} {
		width := barWidth
		if i == 0 {
			width = 2 * barWidth
		}
		if l.narrow {
			width = width * 2 / 3
		}
		for _, b := range list {
			if top := end(b.from); end(b.to) > top {
				boxes = append(boxes, rect{l.x[b.actor] - width/2, top, width, end(b.to) - top, b.class})
			}
		}
	}
	l.Boxes = append(boxes, l.Boxes...)
}

// wrap breaks a text between words into lines of so many characters; a longer word is broken.
func wrap(s string, chars int) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(s) {
		for utf8.RuneCountInString(w) > chars {
			r := []rune(w)
			if line != "" {
				out, line = append(out, line), ""
			}
			out, w = append(out, string(r[:chars])), string(r[chars:])
		}
		switch {
		case line == "":
			line = w
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > chars:
			out, line = append(out, line), w
		default:
			line += " " + w
		}
	}
	return append(out, line)
}
