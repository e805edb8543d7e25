package guide

import (
	"locktorture/ledger"
)

// A Next is a run that the pages lack.
type Next struct {
	ledger.Waiting
	Runs    int      // how many runs of it are still to come, with this one
	Command []string // that makes it
}

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
		lacks := w.Lacks(least, most)
		if lacks > 0 {
			next = append(next, Next{w, lacks, by[w.Subject].command(d.book.NextSeed(w.Subject))})
		}
	}
	return next, nil
}
