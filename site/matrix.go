package site

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"locktorture/guide"
	"locktorture/ledger"
	"locktorture/report/words"
)

// A matrixView is what the first page shows.
type matrixView struct {
	Faults   []fault
	Rows     []matrixRow
	Servers  []string // of all rows
	Findings []release
	Summary  string
}

// A matrixRow is a lock with its cells.
type matrixRow struct {
	lock
	Cells  []matrixCell // one for each fault; none where the lock has no run at all
	States []string     // of all its cells
}

// A matrixCell has the cells of a lock under a fault, one for each workload and set of flags.
type matrixCell struct {
	Cells []*cell
	Why   string // it cannot suffer the fault
}

// States are those of a cell of the matrix, separated by blanks.
func (m matrixCell) States() string {
	var list []string
	for _, c := range m.Cells {
		if list = append(list, c.State()); c.Stale != nil {
			list = append(list, "stale")
		}
	}
	switch {
	case m.Why != "":
		return "inapplicable"
	case len(list) == 0:
		return "untested"
	}
	return strings.Join(list, " ")
}

func (d *data) matrix() view {
	m := matrixView{Faults: d.faults, Summary: d.summary()}
	for _, f := range d.findings {
		m.Findings = append(m.Findings, release{f, d.releasesOf(f.Name)})
	}
	for _, l := range d.locks {
		row := d.row(l)
		m.Rows = append(m.Rows, row)
		if l.Topology != "" && !slices.Contains(m.Servers, l.Topology) {
			m.Servers = append(m.Servers, l.Topology)
		}
	}
	slices.Sort(m.Servers)
	return view{kind: "index", scripts: []string{"site.js"}, title: "Locks and faults", data: m}
}

// row is a lock with its cells.
func (d *data) row(l lock) matrixRow {
	row := matrixRow{lock: l}
	tested := slices.ContainsFunc(d.cells, func(c *cell) bool { return c.Kind == ledger.Run && c.Lock == l.Name })
	states := map[string]bool{}
	for _, f := range d.faults {
		m := d.under(l.Name, f.Name)
		row.Cells = append(row.Cells, m)
		for state := range strings.FieldsSeq(m.States()) {
			states[state] = true
		}
	}
	if !tested {
		row.Cells = nil
	}
	row.States = slices.Sorted(maps.Keys(states))
	return row
}

// under returns the cells of a lock under a fault, the one with the most runs first. If the lock has
// no cell, because it cannot suffer the fault, under returns the reason.
func (d *data) under(lock, fault string) (m matrixCell) {
	refused := ""
	for _, c := range d.cells {
		if c.Kind != ledger.Run || c.Lock != lock || c.Fault != fault {
			continue
		}
		if c.refused() {
			refused = c.Runs[0].Reason
			continue
		}
		m.Cells = append(m.Cells, c)
	}
	if len(m.Cells) == 0 {
		m.Why = cmp.Or(refused, guide.Inapplicable(lock, fault))
	}
	return m
}

// isRun reports whether a line of a kind is a run of a lock.
func isRun(kind string) bool { return kind == ledger.Run || kind == ledger.Scenario }

// runs is how many the ledger has.
func (d *data) runs() (n int) {
	for _, l := range d.lines {
		if isRun(l.Kind) {
			n++
		}
	}
	return n
}

// summary says how much there is.
func (d *data) summary() string {
	locks, stale, cells, last := map[string]bool{}, 0, 0, ""
	for _, c := range d.cells {
		if !isRun(c.Kind) {
			continue
		}
		locks[c.Lock], last = true, max(last, c.Last)
		if cells++; c.Stale != nil {
			stale++
		}
	}
	day, _, _ := strings.Cut(last, "T")
	if day == "" {
		return "The ledger has no run yet."
	}
	return words.Plural(d.runs(), "run", "runs") + " of " + words.Plural(len(locks), "lock", "locks") + " in " + words.Plural(cells, "cell", "cells") +
		", " + words.Count(stale) + " of them stale. The latest run is of " + day + "."
}
