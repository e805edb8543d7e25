package report

import (
	"fmt"
	"strings"

	"locktorture/checker"
)

// storeLine says in a line what became of a store.
func storeLine(s checker.StoreResult) string {
	state := "correct"
	if !s.Correct {
		state = "corrupted"
	}
	parts := []string{word(s.Store) + " " + state}
	if s.Of > 0 {
		unit := s.LossUnit
		if unit == "" {
			unit = "operations"
		}
		parts = append(parts, fmt.Sprintf("lost %s of %s %s (%s)", count(s.Lost), count(s.Of), word(unit), percent(s.Loss)))
	}
	if s.Note != "" {
		parts = append(parts, word(s.Note))
	}
	parts = append(parts, plural(s.Reads, "read", "reads"), plural(s.Writes, "write", "writes"))
	if s.Refused > 0 {
		parts = append(parts, count(s.Refused)+" refused as stale")
	}
	return strings.Join(parts, ", ")
}

func countsLine(c checker.Counts) string {
	return strings.Join([]string{
		plural(c.Ops, "operation", "operations"), plural(c.Grants, "grant", "grants"),
		count(c.Refused) + " refused", count(c.Unknown) + " of unknown outcome",
		plural(c.Crashes, "crash", "crashes"), plural(c.Processes, "process", "processes"),
		plural(c.Faults, "fault", "faults"), plural(c.Bites, "bite", "bites"),
		"in " + span(c.Duration),
	}, ", ")
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return count(n) + " times"
}
