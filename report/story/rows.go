package story

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"locktorture/report/diagram"
	"locktorture/report/words"
)

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
		lines := diagram.Fold(words.At(e.time)+"  "+label, l.chars)
		for i, t := range lines {
			l.Texts = append(l.Texts, text{4, y + 12 + i*l.line, t, "start", class})
		}
		y += len(lines) * l.line
	}
	mid := y + l.geometry.row/2
	l.y = append(l.y, mid)
	if !l.narrow {
		l.Texts = append(l.Texts, text{6, mid + 4, words.At(e.time), "start", "time"})
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
	if long := diagram.Letter * utf8.RuneCountInString(label); x+14+long > l.width && x > l.width/2 {
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
	half := diagram.Letter * utf8.RuneCountInString(e.label) / 2
	centre := l.between(e, half)
	x1, x2 = x1+tip*diagram.BarWidth/2, x2-tip*diagram.BarWidth/2
	l.Arrows = append(l.Arrows, arrowShape{stroke{x1, y1, x2, mid, class}, fmt.Sprintf("%d,%d %d,%d %d,%d", x2, mid, x2-8*tip, mid-4, x2-8*tip, mid+4)})
	if l.narrow {
		return
	}
	if e.sent > 0 { // below its end, where it belongs in time
		l.Texts = append(l.Texts, text{x2 - tip*6, mid + 16, e.label, map[int]string{1: "end", -1: "start"}[tip], class})
		return
	}
	l.Texts = append(l.Texts, text{max(diagram.Gutter+half, min(l.width-half, centre)), mid - 5, e.label, "middle", class})
}

// between returns the middle of a message's label: beside its client, between two lifelines, if
// half of the label fits into half of the room there; else that of the arrow.
func (l *layout) between(e event, half int) int {
	at, other := l.x[e.from], l.x[e.to]
	if strings.HasPrefix(e.to, "C") {
		at, other = other, at
	}
	next := other
	for _, x := range l.x {
		if min(at, next) < x && x < max(at, next) {
			next = x
		}
	}
	if 2*half > max(at, next)-min(at, next)-2*diagram.BarWidth {
		return (at + other) / 2
	}
	return (at + next) / 2
}

// banner returns a row over all lifelines: what was violated, and the proof.
func (l *layout) banner(e event, y int) int {
	lines := diagram.Fold(e.more, l.chars)
	if e.more == "" {
		lines = nil
	}
	label := e.label
	if e.time >= 0 {
		label = words.At(e.time) + "  " + label
	}
	titles := diagram.Fold(label, l.chars*9/10) // its letters are bold
	height := 8 + len(titles)*l.line + len(lines)*l.line
	l.y = append(l.y, y+height/2)
	l.Boxes = append(l.Boxes, rect{2, y + 4, l.width - 4, height, "banner " + e.class})
	for i, t := range append(titles, lines...) {
		class := "title " + e.class
		if i >= len(titles) {
			class = "proof"
		}
		l.Texts = append(l.Texts, text{12, y + 20 + i*l.line, t, "start", class})
	}
	return y + height + 10
}
