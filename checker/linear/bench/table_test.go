// Package bench measures package linear against porcupine.
package bench

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	full = flag.Bool("table", false, "measure the whole table, which takes minutes and up to 18 GB for porcupine")
	only = flag.String("cases", "", "part of the name of the cases to measure")
)

// TestTable measures both sides of each case in a process of its own and
// fails where a goal is missed.
func TestTable(t *testing.T) {
	table := cases()
	names := make([]string, 0, len(table))
	for name := range table {
		if (*full || table[name].quick) && strings.Contains(name, *only) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	t.Logf("%-44s %12s %9s %12s %9s %10s %8s  %s", "case", "ours", "memory", "porcupine", "memory", "faster", "smaller", "goal")
	for _, name := range names {
		c := table[name]
		ours := measure(t, name, "ours")
		row := fmt.Sprintf("%-44s %12v %9s", name, ours.Elapsed.Round(time.Microsecond), size(ours.Extra))
		var missed []string
		if c.faster > 0 || c.smaller > 0 || c.invalid && *full {
			theirs := measure(t, name, "porcupine")
			faster := float64(theirs.Elapsed) / float64(ours.Elapsed)
			smaller := float64(theirs.Extra) / float64(max(ours.Extra, 1<<16))
			row += fmt.Sprintf(" %12v %9s %9.0f× %7.0f×", theirs.Elapsed.Round(time.Microsecond), size(theirs.Extra), faster, smaller)
			if theirs.Outcome == "unknown" {
				row += " (porcupine: " + theirs.Reason + ")"
			} else if theirs.Outcome != ours.Outcome {
				missed = append(missed, fmt.Sprintf("we say %s, porcupine says %s", ours.Outcome, theirs.Outcome))
			}
			missed = append(missed, c.ratios(faster, smaller)...)
		}
		if c.passes > 0 {
			row += fmt.Sprintf(" %9.1f passes of %v", ours.passes(), ours.Pass.Round(time.Microsecond))
		}
		missed = append(missed, c.bounds(ours)...)
		t.Log(row + "  " + c.goal.String())
		if len(missed) > 0 {
			t.Errorf("%s: %s", name, strings.Join(missed, "; "))
		}
	}
}

func (g goal) ratios(faster, smaller float64) []string {
	var missed []string
	if faster < g.faster {
		missed = append(missed, fmt.Sprintf("%.0f times faster, not %.0f", faster, g.faster))
	}
	if smaller < g.smaller {
		missed = append(missed, fmt.Sprintf("%.0f times less memory, not %.0f", smaller, g.smaller))
	}
	return missed
}

func (c benchCase) bounds(m measurement) []string {
	var missed []string
	want := "valid"
	if c.invalid {
		want = "invalid"
	}
	if m.Outcome != want {
		missed = append(missed, fmt.Sprintf("%s says %s (%s)", m.Algorithm, m.Outcome, m.Reason))
	}
	if took := m.passes(); c.passes > 0 && took > c.passes {
		missed = append(missed, fmt.Sprintf("%.1f plain passes, not %.0f", took, c.passes))
	}
	if c.bytes > 0 && m.Peak > c.bytes {
		missed = append(missed, fmt.Sprintf("%s in all, not %s", size(m.Peak), size(c.bytes)))
	}
	return missed
}

func (g goal) String() string {
	var s []string
	if g.faster > 0 {
		s = append(s, fmt.Sprintf("≥ %.0f× faster", g.faster))
	}
	if g.smaller > 0 {
		s = append(s, fmt.Sprintf("≥ %.0f× smaller", g.smaller))
	}
	if g.passes > 0 {
		s = append(s, fmt.Sprintf("≤ %.0f passes", g.passes))
	}
	if g.bytes > 0 {
		s = append(s, "≤ "+size(g.bytes)+" in all")
	}
	return strings.Join(s, ", ")
}

// passes returns how many plain passes over the same events a measurement took.
func (m measurement) passes() float64 {
	return float64(m.Elapsed) / float64(max(m.Pass, time.Microsecond))
}

func size(b int64) string { return fmt.Sprintf("%.1f MB", float64(b)/1e6) }
