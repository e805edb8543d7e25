package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"locktorture/report/words"
)

// A Look is what an output can show.
type Look struct {
	Width int // in characters
	Color bool
}

// within keeps the width between what can be read and what is read with ease.
func (l Look) within() Look {
	l.Width = min(max(l.Width, 40), 120)
	return l
}

// A printer writes lines and remembers the first error.
type printer struct {
	w io.Writer
	Look
	err error
}

// label is what the lines of the summary begin with.
const label = 10

// line writes a line as it is.
func (p *printer) line(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, text)
	}
}

// fact writes one fact beside its name, over several lines where it is long.
func (p *printer) fact(name, text string) { p.wrapped(fmt.Sprintf("%-*s ", label-1, name), text) }

// text writes one at the left edge.
func (p *printer) text(text string) {
	for _, line := range words.Hang(text, p.Width) {
		p.line(line)
	}
}

func (p *printer) wrapped(first, text string) {
	for _, line := range words.Wrap(first, text, p.Width) {
		p.line(line)
	}
}

// marked writes a text of which the beginning is marked.
func (p *printer) marked(code, head, text string) {
	for i, line := range words.Hang(head+text, p.Width) {
		if n := min(len(line), len(head)); i == 0 && n == len(head) && utf8.ValidString(line[:n]) {
			line = p.mark(code, line[:n]) + line[n:]
		} else if strings.HasPrefix(head, line) && i == 0 { // the mark is longer than the line
			line = p.mark(code, line)
		}
		p.line(line)
	}
}

// SGR codes of the marks: bold red, bold yellow, bold green, faint.
const (
	bad   = "1;31"
	warn  = "1;33"
	good  = "1;32"
	faint = "2"
)

func (p *printer) mark(code, s string) string {
	if !p.Color || code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
