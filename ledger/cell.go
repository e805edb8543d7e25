package ledger

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/internal/figures"
)

// A Subject is what runs have in common that belong together.
type Subject struct{ Kind, Lock, Fault, Scenario, Variant, Workload, Flags string }

// Subject returns the subject of a line.
func (l Line) Subject() Subject {
	return Subject{l.Kind, l.Lock, l.Fault, l.Scenario, l.Variant, l.Workload, l.Flags}
}

// A Cell is what all lines of one subject come to. The zero value has no lines.
type Cell struct {
	Runs   int            // with a verdict
	Grades map[string]int // of these
	Kinds  map[string]int // in how many of these an anomaly was found
	Broken map[string]int // the same, in runs that were safe and yet failed
	Met    int            // plays that showed what they must
	Busy   int            // of Runs, on a machine that was busy
	Open   int            // runs without a verdict: unknown
	Reason string         // why the fault cannot be injected; "" if it can, or nobody tried
	Freed  []int64        // milliseconds for each holder that died, see Line; of machines that were not busy
	Last   string         // date of the latest line
	Of     Sums           // of the lines that count
	// Stale names what has changed since the lines were written; nil: nothing.
	Stale []string
}

// Fold computes the cell of lines of one subject. Only the lines count whose sources are as they
// are now. If there are none, those count that have the sources of the latest line, and the cell
// is stale.
func Fold(lines []Line, now Sums) Cell {
	c := Cell{Grades: map[string]int{}, Kinds: map[string]int{}, Broken: map[string]int{}}
	if len(lines) == 0 {
		return c
	}
	of, changed := counted(lines, now)
	c.Of, c.Stale = of, changed
	for _, l := range lines {
		if l.Sources == of {
			c.add(l)
		}
	}
	return c
}

// counted returns the sums of the lines that count, and what has changed since then.
func counted(lines []Line, now Sums) (of Sums, changed []string) {
	if slices.ContainsFunc(lines, func(l Line) bool { return l.Sources == now }) {
		return now, nil
	}
	latest := slices.MaxFunc(lines, func(a, b Line) int { return cmp.Compare(a.Date, b.Date) })
	return latest.Sources, latest.Sources.Changed(now)
}

func (c *Cell) add(l Line) {
	c.Last = max(c.Last, l.Date)
	switch l.Grade {
	case NotInjected:
		c.Reason = l.Reason
		return
	case string(checker.Unknown):
		c.Open++
		return
	}
	c.Runs++
	c.Grades[l.Grade]++
	if l.Met {
		c.Met++
	}
	if l.Busy() {
		c.Busy++
	} else {
		c.Freed = append(c.Freed, l.Freed...)
	}
	for _, kind := range l.Anomalies {
		c.Kinds[kind]++
		if l.Grade == string(checker.Safe) && l.Failed {
			c.Broken[kind]++
		}
	}
}

// Worst returns the worst grade that a run came to; "" if none has a verdict.
func (c Cell) Worst() string {
	for _, g := range verdicts() {
		if c.Grades[g] > 0 {
			return g
		}
	}
	return ""
}

// Anomalies are the kinds that were found, each with the number of runs that had it, but for those that
// the text of the cell has.
func (c Cell) Anomalies() string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		if c.Broken[kind] == 0 {
			list = append(list, fmt.Sprintf("%s %d/%d", kind, c.Kinds[kind], c.Runs))
		}
	}
	return strings.Join(list, ", ")
}

// News returns the grades and the anomalies of a cell that it did not have before; "" if it had all,
// or had no runs.
func (c Cell) News(before Cell) string {
	if before.Runs == 0 {
		return ""
	}
	var list []string
	add := func(now, was map[string]int) {
		for name := range now {
			if was[name] == 0 {
				list = append(list, name)
			}
		}
	}
	add(c.Grades, before.Grades)
	add(c.Kinds, before.Kinds)
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// NotTested is what a cell without a run says.
const NotTested = "*not tested*"

// String returns the cell as tables show it: "unsafe 20/20", "safe 0/40 (< 7.3 %)", or why it
// has no verdict. A star marks a cell that leans on runs of a busy machine.
func (c Cell) String() string {
	return c.verdict() + c.Marks()
}

// Marks returns the star, and the day of stale lines, if the cell has them.
func (c Cell) Marks() (text string) {
	if c.Starred() {
		text += `\*`
	}
	if c.Stale != nil {
		text += stale(c.Last)
	}
	return text
}

// Enough is how many runs of a quiet machine a cell needs. Those of a busy machine count, too, but
// with so many others, the cell needs no star.
const Enough = 12

// Quiet is how many runs with a verdict were made on a quiet machine.
func (c Cell) Quiet() int { return c.Runs - c.Busy }

// Starred reports whether runs of a busy machine count and too few others do.
func (c Cell) Starred() bool { return c.Busy > 0 && c.Quiet() < Enough }

func (c Cell) verdict() string {
	worst := c.Worst()
	switch {
	case c.Runs == 0 && c.Open > 0:
		return fmt.Sprintf("*unknown* %d/%d", c.Open, c.Open)
	case c.Runs == 0 && c.Reason != "":
		return "*not tested*: " + c.Reason
	case c.Runs == 0:
		return NotTested
	case worst != string(checker.Safe):
		return fmt.Sprintf("%s %d/%d", worst, c.Grades[worst], c.Runs)
	}
	text := fmt.Sprintf("safe 0/%d (< %s)", c.Runs, figures.Percent(figures.AtMost(0, c.Runs)))
	for _, kind := range slices.Sorted(maps.Keys(c.Broken)) {
		text += fmt.Sprintf(", but %s %d/%d", kind, c.Broken[kind], c.Runs)
	}
	return text
}

// stale marks a cell whose sources have changed, with the day of its latest run.
func stale(date string) string {
	day, _, _ := strings.Cut(date, "T")
	return fmt.Sprintf(" (stale: %s)", day)
}
