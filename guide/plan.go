package guide

import (
	"slices"
	"time"

	"locktorture/ledger"
)

// A Next is a run that the pages lack.
type Next struct {
	ledger.Waiting
	Runs    int           // how many runs of it are still to come, with this one
	Command []string      // that makes it
	Takes   time.Duration // about
}

// Cell returns what the runs of a subject came to.
func (d *Data) Cell(s ledger.Subject) (ledger.Cell, error) { return d.book.Cell(s) }

// Plan says which runs the pages lack, in the order in which they should be made: those of the
// locks' cells before all others, and of these one of each cell, then a second of each, and so on. Each
// subject gets least runs, and most where its runs came to different grades. A fault that cannot
// be injected needs no more than the one line that says so.
func (d *Data) Plan(least, most int) ([]Next, error) {
	by := map[ledger.Subject]wanted{}
	var subjects []ledger.Subject
	for _, w := range d.all() {
		if !d.exists(w.Subject) {
			continue
		}
		by[w.Subject] = w
		subjects = append(subjects, w.Subject)
	}
	waiting, err := d.book.Stalest(subjects)
	if err != nil {
		return nil, err
	}
	var next [2][]Next // of the locks' cells, and of the rest
	for _, w := range waiting {
		lacks := w.Lacks(by[w.Subject].enough(least), by[w.Subject].enough(most))
		if lacks > 0 {
			wanted, place := by[w.Subject], 0
			if wanted.beside() {
				place = 1
			}
			next[place] = append(next[place], Next{w, lacks, wanted.command(d.book.NextSeed(w.Subject)), wanted.takes()})
		}
	}
	return slices.Concat(next[0], next[1]), nil
}
