package record

import (
	"slices"

	"locktorture/internal/suggest"
	"locktorture/internal/terminal"
	"locktorture/scenarios"
)

// A Listed is one scenario as JSON.
type Listed struct {
	Name   string    `json:"name"`
	Title  string    `json:"title"`
	Source string    `json:"source"`
	Shows  string    `json:"shows"`
	Cases  []CaseRow `json:"cases"`
}

// A CaseRow is a lock to which a scenario applies, with the expectation.
type CaseRow struct {
	Backend string             `json:"backend"`
	Variant string             `json:"variant,omitempty"`
	Expect  string             `json:"expect"` // GRADE[+anomaly...]
	Either  []string           `json:"either,omitempty"`
	Never   []string           `json:"never,omitempty"`
	Facts   []string           `json:"facts,omitempty"`
	Found   *scenarios.Finding `json:"found,omitempty"`
}

// List returns all scenarios, or the named one.
func List(name string) ([]Listed, error) {
	var rows []Listed
	var names []string
	for _, n := range scenarios.All() {
		row := Listed{Name: n.Name, Title: n.Title, Source: n.Source, Shows: n.Shows}
		for _, c := range n.Cases {
			row.Cases = append(row.Cases, CaseRow{c.Backend, c.Variant, c.Expect, c.Either, c.Never, c.Facts, c.Found})
		}
		if names = append(names, n.Name); name == "" || name == n.Name {
			rows = append(rows, row)
		}
	}
	if name == "" {
		return rows, nil
	}
	return rows, suggest.Among(name, names)
}

// Lines returns the titles of the scenarios for a terminal of this width, or all data of the named
// scenario.
func Lines(name string, width int) ([]string, error) {
	if _, err := List(name); err != nil {
		return nil, err
	}
	all := scenarios.All()
	if name == "" {
		var table terminal.Table
		for _, n := range all {
			table = append(table, []string{n.Name, n.Title})
		}
		return table.Lines(1, width), nil
	}
	n := all[slices.IndexFunc(all, func(n scenarios.Named) bool { return n.Name == name })]
	about := terminal.Table{{"", "title", n.Title}, {"", "source", n.Source}, {"", "shows", n.Shows}, {"", "lesson", n.Lesson}}
	lines := append([]string{n.Name}, about.Lines(2, width)...)
	lines = append(lines, "", "locks, and the expected outcome with each")
	for _, c := range n.Cases {
		rows := terminal.Table{{"  ", c.Outcome()}}
		if c.Found != nil {
			rows = append(rows, []string{"  ", "found: " + c.Found.String()})
		}
		lines = append(append(lines, "  "+c.Name()), rows.Lines(1, width)...)
	}
	return lines, nil
}
