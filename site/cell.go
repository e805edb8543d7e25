package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/ledger"
	"locktorture/report/words"
)

// A cell is what all runs of one subject came to.
type cell struct {
	ledger.Subject
	ledger.Cell
	ID   string // its place on the page of its lock
	Runs []run  // latest first
}

// A run is a line of the ledger.
type run struct {
	ledger.Line
	Counts bool // for its cell
	other  bool // it was asked to last another time than the latest
}

// cells puts lines together by their subjects. now returns the sums of the sources as they are.
func cells(lines []ledger.Line, now func(ledger.Subject) (ledger.Sums, error)) (all []*cell, err error) {
	by := map[ledger.Subject][]ledger.Line{}
	for _, l := range lines {
		by[l.Subject()] = append(by[l.Subject()], l)
	}
	for s, lines := range by {
		sums, err := now(s)
		if err != nil {
			return nil, err
		}
		c := &cell{Subject: s, Cell: ledger.Fold(lines, sums)}
		slices.SortFunc(lines, func(a, b ledger.Line) int { return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(b.Seed, a.Seed)) })
		for _, l := range lines {
			c.Runs = append(c.Runs, run{l, l.Sources == c.Of, l.Asked != lines[0].Asked})
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *cell) int {
		return cmp.Or(cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.Scenario, b.Scenario),
			cmp.Compare(a.Variant, b.Variant), cmp.Compare(len(b.Runs), len(a.Runs)), cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Flags, b.Flags))
	})
	seen := map[string]int{}
	for _, c := range all {
		id := strings.Map(sober, strings.Join([]string{c.Kind, c.Fault + c.Scenario, c.Workload, c.Variant}, "-"))
		if seen[c.Lock+" "+id]++; seen[c.Lock+" "+id] > 1 {
			id = fmt.Sprintf("%s-%d", id, seen[c.Lock+" "+id])
		}
		c.ID = id
	}
	return all, nil
}

// sober is a character of a place on a page.
func sober(r rune) rune {
	if r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

// latest is the largest number of runs of a cell on a page.
const latest = 3

// Latest returns the runs that the page of the lock shows.
func (c *cell) Latest() []run { return c.Runs[:min(len(c.Runs), latest)] }

// Older returns the number of the other runs.
func (c *cell) Older() int { return len(c.Runs) - len(c.Latest()) }

// refused reports whether the fault could not be injected in any run, and the runs say why.
func (c *cell) refused() bool {
	return !slices.ContainsFunc(c.Runs, func(r run) bool { return r.Grade != ledger.NotInjected || r.Reason == "" })
}

// State is what a cell is filtered by: its worst grade, or why it has none.
func (c *cell) State() string {
	switch worst := c.Worst(); {
	case worst != "":
		return strings.ReplaceAll(worst, " ", "-")
	case c.Open > 0:
		return string(checker.Unknown)
	}
	return "untested"
}

// Class is how a cell looks.
func (c *cell) Class() string {
	class := "cell g-" + c.State()
	if c.Stale != nil {
		class += " stale"
	}
	if c.Starred() {
		class += " busy"
	}
	return class
}

// Text is the cell as the tables of the pages show it, with a star where it leans on runs of a busy machine.
func (c *cell) Text() string {
	fresh := c.Cell
	fresh.Stale = nil
	text, bound, _ := strings.Cut(strings.ReplaceAll(fresh.String(), `\*`, "\u00a0★"), " (<")
	if bound != "" {
		bound, rest, _ := strings.Cut(bound, ")")
		text += " (<" + strings.ReplaceAll(bound, " ", "\u00a0") + ")" + rest
	}
	return strings.ReplaceAll(text, "*", "")
}

// Short is the text without its reason.
func (c *cell) Short() string {
	if c.State() == "untested" {
		return "not tested"
	}
	return c.Text()
}

// Age says of a stale cell from when it is, and what has changed since.
func (c *cell) Age() string {
	if c.Stale == nil {
		return ""
	}
	day, _, _ := strings.Cut(c.Last, "T")
	return fmt.Sprintf("stale: run on %s; changed since: %s", day, words.List(c.Stale, " and ", "something"))
}

// join is what templates call to write a list.
func join(list []string) string { return strings.Join(list, ", ") }
