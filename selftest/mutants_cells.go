package selftest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/locks/mutants"
	"locktorture/registry"
)

// mutantsMarkdown is the table: the mutants, then the twins.
func mutantsMarkdown(o Options, rows []*tallyRow) string {
	var b strings.Builder
	seeds := fmt.Sprintf("seeds %d to %d", o.Seed, o.Seed+uint64(o.Seeds)-1)
	fmt.Fprintf(&b, "\nCommit %s, %s, %d runs at a time.\n\n", o.Commit, seeds, o.Jobs)
	b.WriteString("| mutant | what it does | flags beyond the default | must be named | found | first after: median, longest | fired |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		if r.Mutant != nil {
			fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s | %s | %s |\n", r.Name, r.Mutant.Broken, flagCell(r), strings.Join(append([]string{r.Anomaly}, r.Mutant.Or...), "` or `"),
				foundCell(r), timesCell(r.First), firedCell(r))
		}
	}
	b.WriteString("\n| twin | what it is | flags beyond the default | runs | flagged for | unknown |\n|---|---|---|---|---|---|\n")
	about := mutants.Families()
	for _, r := range rows {
		if r.Mutant == nil {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %s | %d |\n", r.Name, about[strings.TrimPrefix(r.Name, registry.TwinPrefix)], flagCell(r), r.Of, accusedCell(r), r.Unknown)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// flagCell are the flags, and why they are needed.
func flagCell(r *tallyRow) string {
	if len(r.Flags) == 0 {
		return "none"
	}
	text := "`" + strings.Join(r.Flags, " ") + "`"
	if r.Mutant != nil && r.Mutant.Why != "" {
		text += ": " + r.Mutant.Why
	}
	return text
}

// foundCell is the rate, with the reason where it is lower than all.
func foundCell(r *tallyRow) string {
	text := fmt.Sprintf("%d of %d", r.Found, r.Of) + r.failed()
	if r.Mutant.Luck != "" {
		text += ": " + r.Mutant.Luck
	}
	return text
}

func firedCell(r *tallyRow) string {
	if r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("≥ %d a run", r.Fired/r.Of)
}

func accusedCell(r *tallyRow) string {
	if len(r.Accused) == 0 {
		return "nothing" + r.failed()
	}
	return strings.Join(r.Accused, ", ") + r.failed()
}

// timesCell is the median and the longest of some times.
func timesCell(times []time.Duration) string {
	if len(times) == 0 {
		return "–"
	}
	sorted := slices.Sorted(slices.Values(times))
	show := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	return show(sorted[(len(sorted)-1)/2]) + ", " + show(sorted[len(sorted)-1])
}
