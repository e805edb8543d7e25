package guide

import (
	"fmt"
	"strings"

	"locktorture/ledger"
	"locktorture/scenarios"
)

// played returns what the plays of each case of a script came to. The subjects of the result say
// only which case.
func (d *Data) played() (map[ledger.Subject]ledger.Cell, error) {
	cells := map[ledger.Subject]ledger.Cell{}
	for _, s := range d.book.Subjects(ledger.Scenario) {
		c, err := d.book.Cell(s)
		if err != nil {
			return nil, err
		}
		cells[ledger.Subject{Lock: s.Lock, Scenario: s.Scenario, Variant: s.Variant}] = c
	}
	return cells, nil
}

func caseOf(s scenarios.Named, c scenarios.Case) ledger.Subject {
	return ledger.Subject{Lock: c.Backend, Scenario: s.Name, Variant: c.Variant}
}

// track is the table of all scripts: what each must show, and what its plays in the ledger showed.
func (d *Data) track() (string, error) {
	cells, err := d.played()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| script | lock | must show | shown | seen |\n|---|---|---|---|---|\n")
	for _, s := range scenarios.All() {
		for _, c := range s.Cases {
			cell := cells[caseOf(s, c)]
			fmt.Fprintf(&b, "| [%s](../docs/scenarios/%s.md) | %s | %s | %d/%d | %s%s |\n", s.Name, s.Name, c.Name(), c.Outcome(), cell.Met, cell.Runs, cell, kinds(cell))
		}
	}
	return b.String(), nil
}

// libraries is the table of the failures of published libraries that a script shows.
func (d *Data) libraries() (string, error) {
	cells, err := d.played()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| script | library | version | failure | shown | documented upstream |\n|---|---|---|---|---|---|\n")
	for _, s := range scenarios.All() {
		for _, c := range s.Findings() {
			f, cell, shown := c.Found, cells[caseOf(s, c)], ledger.NotTested
			if cell.Runs > 0 {
				shown = fmt.Sprintf("%d/%d%s", cell.Met, cell.Runs, cell.Marks())
			}
			fmt.Fprintf(&b, "| [%s](../docs/scenarios/%s.md) | %s | %s | %s | %s | %s |\n", s.Name, s.Name, f.Library, f.Version, f.Failure, shown, f.Upstream())
		}
	}
	return b.String(), nil
}
