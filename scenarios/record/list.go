package record

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"locktorture/scenarios"
)

// List prints the scenarios, their cases and what must be seen of each.
func List(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(scenarioRows())
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, n := range scenarios.All() {
		fmt.Fprintf(tab, "%s\t%s\t\n", n.Name, n.Title)
		for _, c := range n.Cases {
			fmt.Fprintf(tab, "  %s\t  %s\t\n", c.Name(), c.Outcome())
			if c.Found != nil {
				fmt.Fprintf(tab, "  \t  found: %s\t\n", c.Found)
			}
		}
	}
	return tab.Flush()
}

// A scenarioRow is one scenario as JSON.
type scenarioRow struct {
	Name   string    `json:"name"`
	Title  string    `json:"title"`
	Source string    `json:"source"`
	Shows  string    `json:"shows"`
	Cases  []caseRow `json:"cases"`
}

type caseRow struct {
	Backend string             `json:"backend"`
	Variant string             `json:"variant,omitempty"`
	Expect  string             `json:"expect"`
	Either  []string           `json:"either,omitempty"`
	Never   []string           `json:"never,omitempty"`
	Facts   []string           `json:"facts,omitempty"`
	Found   *scenarios.Finding `json:"found,omitempty"`
}

func scenarioRows() []scenarioRow {
	var rows []scenarioRow
	for _, n := range scenarios.All() {
		row := scenarioRow{Name: n.Name, Title: n.Title, Source: n.Source, Shows: n.Shows}
		for _, c := range n.Cases {
			row.Cases = append(row.Cases, caseRow{c.Backend, c.Variant, c.Expect, c.Either, c.Never, c.Facts, c.Found})
		}
		rows = append(rows, row)
	}
	return rows
}
