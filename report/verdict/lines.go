package verdict

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/report/words"
)

// StoreLine says in a line what became of a store.
func StoreLine(res checker.Result, s checker.StoreResult) string {
	state := "correct"
	if !s.Correct {
		state = "corrupted"
	}
	name := words.Word(s.Store)
	if Control(res, s) {
		name += ", the control store, which checks no token:"
	}
	parts := []string{name + " " + state}
	if s.Of > 0 {
		unit := s.LossUnit
		if unit == "" {
			unit = "operations"
		}
		parts = append(parts, fmt.Sprintf("lost %s of %s %s (%s)", words.Count(s.Lost), words.Count(s.Of), words.Word(unit), words.Percent(s.Loss)))
	}
	if s.Note != "" {
		parts = append(parts, words.Word(s.Note))
	}
	parts = append(parts, words.Plural(s.Reads, "read", "reads"), words.Plural(s.Writes, "write", "writes"))
	if s.Refused > 0 {
		parts = append(parts, "rejected "+rejected(s))
	}
	return strings.Join(parts, ", ")
}

// CountsLine says in a line how much was seen.
func CountsLine(c checker.Counts) string {
	return strings.Join([]string{
		words.Plural(c.Ops, "operation", "operations"), words.Plural(c.Grants, "grant", "grants"),
		words.Count(c.Refused) + " refused", words.Count(c.Unknown) + " of unknown outcome",
		words.Plural(c.Crashes, "crash", "crashes"), words.Plural(c.Processes, "process", "processes"),
		words.Plural(c.Faults, "fault", "faults") + " (" + words.Count(c.Bites) + " took effect)",
		"in " + words.Span(c.Duration),
	}, ", ")
}

// Times writes how often something happened: never, once, 2 times.
func Times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return words.Count(n) + " times"
}
