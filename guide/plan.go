package guide

import (
	"cmp"
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

// Plan says which runs the pages lack, in the order in which they should be made. Each subject
// gets least runs, and most where its runs came to different grades. A fault that cannot be
// injected needs no more than the one line that says so.
func (d *Data) Plan(least, most int) (next []Next, err error) {
	by := map[ledger.Subject]wanted{}
	var subjects []ledger.Subject
	for _, w := range d.all() {
		if _, ok := d.lookup(w.Subject); !ok {
			continue
		}
		by[w.Subject] = w
		subjects = append(subjects, w.Subject)
	}
	waiting, err := d.book.Stalest(subjects)
	if err != nil {
		return nil, err
	}
	for _, w := range waiting {
		lacks := w.Lacks(by[w.Subject].enough(least), by[w.Subject].enough(most))
		if lacks > 0 {
			wanted := by[w.Subject]
			next = append(next, Next{w, lacks, wanted.command(d.book.NextSeed(w.Subject)), wanted.takes()})
		}
	}
	slices.SortStableFunc(next, func(a, b Next) int { return cmp.Compare(a.share(), b.share()) })
	return next, nil
}

// share is which share of its runs a subject has, so that all come to theirs at the same time; less
// than none where they are stale or missing.
func (n Next) share() float64 {
	if n.Last == "" || n.Stale != nil {
		return -1
	}
	return float64(n.Cell.Runs) / float64(n.Cell.Runs+n.Runs)
}
