package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text between words into lines of at most width characters. A longer word has a
// line of its own. The text "" is one empty line; a width below 1 breaks nothing.
func Wrap(text string, width int) []string {
	if width < 1 {
		return []string{text}
	}
	lines, n := []string{""}, 0
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		long := utf8.RuneCountInString(word)
		switch {
		case n == 0:
			lines[last], n = word, long
		case n+1+long <= width:
			lines[last], n = lines[last]+" "+word, n+1+long
		default:
			lines, n = append(lines, word), long
		}
	}
	return lines
}

// A Table is rows of cells, in columns that are as wide as their widest cell.
type Table [][]string

// gap is between two columns.
const gap = 2

// Lines returns the lines of the table. It is at most width characters wide if the column Flex
// can be broken so far; 0: as wide as it is.
func (t Table) Lines(flex, width int) []string { return slices.Concat(t.Rows(flex, width)...) }

// Rows are those lines, by the rows of the table.
func (t Table) Rows(flex, width int) [][]string {
	widths := t.widths()
	if width > 0 && flex < len(widths) {
		rest := 0
		for i, w := range widths {
			if i != flex {
				rest += w + gap
			}
		}
		widths[flex] = min(widths[flex], max(width-rest, leastFlex))
	}
	var out [][]string
	for _, row := range t {
		out = append(out, line(row, widths, flex))
	}
	return out
}

// leastFlex is how wide the column that is broken stays, in characters, even if the table is
// then too wide.
const leastFlex = 12

// Rest is how wide the table is without that column, in characters.
func (t Table) Rest(flex int) (n int) {
	for i, w := range t.widths() {
		if i != flex {
			n += w + gap
		}
	}
	return n
}

func (t Table) widths() (widths []int) {
	for _, row := range t {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// line is a row, as several lines where its flexible cell is broken.
func line(row []string, widths []int, flex int) (out []string) {
	broken := []string{""}
	if flex < len(row) {
		broken = Wrap(row[flex], widths[flex])
	}
	for n, part := range broken {
		var b strings.Builder
		for i, cell := range row {
			switch {
			case i == flex:
				cell = part
			case n > 0:
				cell = ""
			}
			b.WriteString(cell + strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(cell), 0)+gap))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}
