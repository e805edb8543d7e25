package registry

import (
	"slices"
	"strings"

	"locktorture/internal/terminal"
)

// Lines formats rows for a terminal with width columns. A row takes one line, or more if its
// sentence is too long for one.
func Lines(rows []Row, width int) []string {
	var table terminal.Table
	for _, r := range rows {
		about := r.About
		if r.Missing != "" {
			about += "; missing: " + r.Missing
		}
		table = append(table, []string{r.Name, about})
	}
	return table.Lines(1, width)
}

// Lines formats all fields of a row for a terminal with width columns.
func (r Row) Lines(width int) []string {
	var table terminal.Table
	for _, fact := range [][]string{
		{"about", r.About}, {"servers", r.Topology}, {"served by", r.Serves}, {"library", r.Library},
		{"missing", r.Missing},
		{"traits", strings.Join(r.Traits, ", ")}, {"model", r.Model}, {"clock", r.Clock},
	} {
		if fact[1] != "" {
			table = append(table, append([]string{""}, fact...))
		}
	}
	return append([]string{r.Name}, table.Lines(2, width)...)
}

// One returns the row with a name from a list. kind is the kind of the list, see List.
func One(kind, name string, rows []Row) (Row, error) {
	known := map[string]bool{}
	for _, r := range rows {
		known[r.Name] = true
	}
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, Unknown(Singular(kind), name, known)
	}
	return rows[i], nil
}

// Singular returns the word for one entry of a list of this kind: "nemesis" for "nemeses".
func Singular(kind string) string {
	switch kind {
	case "nemeses":
		return "nemesis"
	case "topologies":
		return "topology"
	}
	return strings.TrimSuffix(kind, "s")
}
