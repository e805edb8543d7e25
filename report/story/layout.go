package story

import (
	"unicode/utf8"

	"locktorture/report/diagram"
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
	narrowStory = geometry{width: 350, left: 26, nodes: 24, most: 110, right: 34, row: 18, line: 14, chars: 52, narrow: true}
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

type rect struct {
	X, Y, W, H int
	Class      string
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
	y := diagram.HeadSpace
	for _, e := range s.events {
		y = l.row(e, y)
	}
	l.W, l.H = g.width, y+12
	for _, a := range s.actors {
		l.Lines = append(l.Lines, stroke{l.x[a.id], diagram.HeadSpace - 20, l.x[a.id], l.H - 6, a.kind})
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
		if l.narrow || a.kind == "node" && l.nodes < diagram.Letter*utf8.RuneCountInString(name) {
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
		width := diagram.BarWidth
		if i == 0 {
			width = 2 * diagram.BarWidth
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
