package ledger

import (
	"cmp"
	"slices"
)

// A Book has the lines of a ledger by their subjects, and knows which are stale.
type Book struct {
	of  map[Subject][]Line
	now func(Subject) (Sums, error) // the sums of the sources as they are
}

// NewBook makes a book. now returns the sums of the sources on which a result depends.
func NewBook(lines []Line, now func(Subject) (Sums, error)) *Book {
	b := &Book{of: map[Subject][]Line{}, now: now}
	for _, l := range lines {
		b.of[l.Subject()] = append(b.of[l.Subject()], l)
	}
	return b
}

// Cell returns what the runs of a subject came to.
func (b *Book) Cell(s Subject) (Cell, error) {
	lines := b.of[s]
	if len(lines) == 0 {
		return Cell{}, nil
	}
	now, err := b.now(s)
	return Fold(lines, now), err
}

// Subjects returns the subjects of a kind that have lines, in order.
func (b *Book) Subjects(kind string) (list []Subject) {
	for s := range b.of {
		if s.Kind == kind {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Subject) int {
		return cmp.Or(cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Variant, b.Variant),
			cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Flags, b.Flags))
	})
	return list
}

// Counting returns the lines of a subject whose sources are as they are now.
func (b *Book) Counting(s Subject) ([]Line, error) {
	lines := b.of[s]
	if len(lines) == 0 {
		return nil, nil
	}
	now, err := b.now(s)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Sources != now }), nil
}

// A Waiting is a subject and how long it has waited for a run.
type Waiting struct {
	Subject
	Cell
}

// Stalest returns subjects in the order in which they should be run: those without a run that
// counts first, then the stale ones, then those with the fewest runs on a quiet machine; among equals
// the one that has waited longest.
func (b *Book) Stalest(subjects []Subject) ([]Waiting, error) {
	all := make([]Waiting, 0, len(subjects))
	for _, s := range subjects {
		c, err := b.Cell(s)
		if err != nil {
			return nil, err
		}
		all = append(all, Waiting{s, c})
	}
	slices.SortStableFunc(all, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(a.counting(), b.counting()), cmp.Compare(a.Last, b.Last))
	})
	return all, nil
}

// counting is how many runs of a quiet machine count; less than none where the runs are stale or missing.
func (w Waiting) counting() int {
	switch {
	case w.Last == "":
		return -2
	case w.Stale != nil:
		return -1
	}
	return w.Quiet()
}

// Lacks returns how many more runs a subject needs: least on a quiet machine, and most where runs
// came to different grades. Neither runs that came to unknown nor those of a machine that is always
// busy are repeated without end.
func (w Waiting) Lacks(least, most int) int {
	switch {
	case w.Last == "" || w.Stale != nil:
		return least
	case w.Reason != "" && w.Runs == 0:
		return 0
	case len(w.Grades) > 1 || len(w.Broken) > 0:
		least = max(least, most)
	}
	const tries = 3 // for each run that is needed
	return max(0, min(least-w.Quiet(), tries*least-w.Runs-w.Open))
}

// NextSeed returns a seed that no line of a subject has.
func (b *Book) NextSeed(s Subject) (seed uint64) {
	for _, l := range b.of[s] {
		seed = max(seed, l.Seed)
	}
	return seed + 1
}
