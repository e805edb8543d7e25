package matrix

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/internal/exit"
	"locktorture/report/scorecard"
)

// A cause is one reason for an exit code, and the cells that give it.
type cause struct {
	code  int
	what  string
	cells []string
}

// causes returns the causes of a matrix's exit code, which is the code of the worst cell. An
// expectation decides for the cells that have a verdict. A matrix that has seen nothing is
// unknown: a night in which nothing ran must not be green.
func (m *Matrix) causes(rows []scorecard.Row) (all []cause) {
	seen := false
	for _, r := range rows {
		seen = seen || r.Seeds > 0
		for code, what := range m.causesOf(r) {
			i := slices.IndexFunc(all, func(c cause) bool { return c.code == code && c.what == what })
			if i < 0 {
				i, all = len(all), append(all, cause{code: code, what: what})
			}
			all[i].cells = append(all[i].cells, cell(r))
		}
	}
	if !seen {
		all = append(all, cause{code: exit.Unknown, what: "no cell has a verdict"})
	}
	return all
}

// causesOf returns the codes that a cell leads to, each with its reason.
func (m *Matrix) causesOf(r scorecard.Row) map[int]string {
	codes, known := map[int]string{}, 0
	if m.config.Expected != nil {
		_, known = r.Union()
	}
	switch {
	case r.Differs != "" && known == 0 && r.Seeds > 0:
		codes[exit.Unknown] = "unknown instead of the expected verdict"
	case r.Differs != "":
		codes[exit.Violated] = "not as expected"
	}
	for _, t := range r.Tries {
		switch {
		case t.State == scorecard.HarnessFailed:
			codes[exit.Harness] = "the harness failed"
		case t.State == scorecard.DriverFailed:
			codes[exit.Driver] = "the driver failed"
		case t.State == scorecard.Refused:
			codes[exit.BadUsage] = "flags that cannot be combined"
		case t.State == scorecard.Tried && m.config.Expected == nil && t.Exit != exit.OK:
			codes[t.Exit] = map[int]string{exit.Violated: "a promise was broken", exit.Unknown: "unknown"}[t.Exit]
		}
	}
	return codes
}

// worst returns the exit code that causes lead to.
func worst(all []cause) (code int) {
	for _, c := range all {
		code = exit.Worse(code, c.code)
	}
	return code
}

// mostNamed is how many cells a cause names.
const mostNamed = 3

// why says which exit code a matrix has, and why.
func why(all []cause) string {
	code := worst(all)
	if code == exit.OK {
		return "exit code 0: every cell that has a verdict is as it should be"
	}
	var parts []string
	for _, c := range all {
		switch named := c.cells[:min(len(c.cells), mostNamed)]; {
		case c.code != code:
		case len(c.cells) == 0:
			parts = append(parts, c.what)
		case len(c.cells) > len(named):
			parts = append(parts, fmt.Sprintf("%s in %d cells: %s …", c.what, len(c.cells), strings.Join(named, ", ")))
		case len(c.cells) == 1:
			parts = append(parts, fmt.Sprintf("%s in 1 cell: %s", c.what, named[0]))
		default:
			parts = append(parts, fmt.Sprintf("%s in %d cells: %s", c.what, len(c.cells), strings.Join(named, ", ")))
		}
	}
	return fmt.Sprintf("exit code %d: %s", code, strings.Join(parts, "; "))
}
