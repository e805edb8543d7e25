package guide

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/ledger"
	"locktorture/report/words"
)

// prose is the width of a line of text, in characters.
const prose = 120

// cellsPage has the command and the runs of each cell, seen from docs.
const cellsPage = "../results/cells.md"

// overview is the table of locks and faults; each lock leads to its cells. Reasons stand below.
func (d *Data) overview() (string, error) {
	var b strings.Builder
	b.WriteString("|lock|")
	for _, f := range faults() {
		fmt.Fprintf(&b, "%s|", f.head)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(faults())) + "\n|*size*|")
	for _, f := range faults() {
		fmt.Fprintf(&b, "*%s*|", f.size)
	}
	b.WriteString("\n")
	var n notes
	for _, lock := range chosen() {
		fmt.Fprintf(&b, "|[`%s`](%s#%s)|", lock, cellsPage, lock)
		for _, f := range faults() {
			text, err := d.short(lock, f.nemesis, &n)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s|", text)
		}
		b.WriteString("\n")
	}
	return b.String() + n.text(), nil
}

// short is a cell of the table, whose reason is a note.
func (d *Data) short(lock, nemesis string, n *notes) (string, error) {
	if why := inapplicable(lock, nemesis); why != "" {
		return n.mark("*not applicable*", why), nil
	}
	c, err := d.book.Cell(d.cell(lock, nemesis).Subject)
	if err == nil && c.Runs == 0 && c.Open == 0 && c.Reason != "" {
		return n.mark(ledger.NotTested, c.Reason), nil
	}
	return c.String(), err
}

// Notes stand below a table, each once.
type notes struct{ reasons []string }

// mark is a text with the number of its note.
func (n *notes) mark(text, reason string) string {
	i := slices.Index(n.reasons, reason)
	if i < 0 {
		i, n.reasons = len(n.reasons), append(n.reasons, reason)
	}
	return fmt.Sprintf("%s (%d)", text, i+1)
}

func (n *notes) text() string {
	if len(n.reasons) == 0 {
		return ""
	}
	var b strings.Builder
	for i, r := range n.reasons {
		fmt.Fprintf(&b, "\n%s", strings.Join(words.Wrap("", fmt.Sprintf("(%d) %s.", i+1, r), prose), "\n"))
	}
	return b.String() + "\n"
}
