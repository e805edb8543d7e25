package guide

import (
	"fmt"
	"strings"
)

// cells is the page of all cells: how often each was run, and by which command.
func (d *Data) cells() (string, error) {
	var b strings.Builder
	for _, lock := range chosen() {
		fmt.Fprintf(&b, "## %s\n\n| fault |%s", lock, cellsHead)
		for _, f := range injected() {
			if why := inapplicable(lock, f.nemesis); why != "" {
				fmt.Fprintf(&b, "| %s | *not applicable*: %s | | | |\n", f.head, why)
				continue
			}
			if err := d.cellRow(&b, f.head, d.cell(lock, f.nemesis)); err != nil {
				return "", err
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "## scheduler\n\n| lock, fault |%s", cellsHead)
	for _, s := range schedulers() {
		if err := d.cellRow(&b, "`"+s.lock+"`, "+head(s.nemesis), d.scheduled(s.lock, s.nemesis)); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(&b, "\n## scripts\n\n| script, lock |%s", cellsHead)
	for _, w := range scripts() {
		if err := d.cellRow(&b, fmt.Sprintf("[%s](../docs/scenarios/%s.md), `%s`", w.Scenario, w.Scenario, w.Lock), w); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

const cellsHead = " seen | unknown | latest run | command |\n|---|---|---|---|---|\n"

// cellRow writes a row about one cell.
func (d *Data) cellRow(b *strings.Builder, name string, w wanted) error {
	c, err := d.book.Cell(w.Subject)
	if err != nil {
		return err
	}
	day, _, _ := strings.Cut(c.Last, "T")
	fmt.Fprintf(b, "| %s | %s%s | %d | %s | `%s` |\n", name, c, kinds(c), c.Open, day, command(w))
	return nil
}
