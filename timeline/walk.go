package timeline

import (
	"cmp"
	"maps"
	"slices"

	"locktorture/history"
)

// An Entry is an entry of a history, with what the fold makes of it.
type Entry struct {
	*history.Op
	// Inv is the call that the entry answers; nil for a call and for an event.
	Inv *history.Op
	// Lease is the lease that the entry grants or names, as far as it is known from the
	// entries up to here; nil for none.
	Lease *Lease
	// Overtakes lists the leases that were still held when Lease was granted to another process, and
	// that exclude it.
	Overtakes []*Lease
	// Ended lists the leases that a crash ends: all that its client still held.
	Ended []*Lease
	// Holders has, for each owner that a probe saw, the lease granted under that name; nil where
	// no grant has been answered yet.
	Holders []*Lease
}

// Granted reports whether the entry grants a lease.
func (e Entry) Granted() bool {
	return e.Lease != nil && e.Type == history.OK && (e.F == history.Acquire || e.F == history.Try)
}

// Walk reads the history behind a run and calls do after each entry. It returns the calls that were
// never answered, in their order. Each lease that do receives holds what was known at that
// moment; later entries add to it.
func Walk(src history.Source, s *Run, do func(Entry) error) (open []*Flight, err error) {
	w := &walker{}
	w.Fold = newFold(s, Connections{}, PieceSize, Followers{Locks: w, Latches: noLatches{}, Stores: noStores{}})
	if err := src.Each(func(op *history.Op) error { return w.entry(op, do) }); err != nil {
		return nil, err
	}
	open = slices.SortedFunc(maps.Values(w.flights), func(a, b *Flight) int { return cmp.Compare(a.Line, b.Line) })
	w.last()
	return open, nil
}

// Leases returns all leases of a short history, in the order of their grants.
func Leases(h history.History) (all []*Lease, err error) {
	_, err = WalkAll(h, func(e Entry) error {
		if e.Granted() {
			all = append(all, e.Lease)
		}
		return nil
	})
	return all, err
}

// WalkAll is like Walk, for a history whose run options are not known.
func WalkAll(src history.Source, do func(Entry) error) (open []*Flight, err error) {
	run, err := Survey(src, Options{})
	if err != nil {
		return nil, err
	}
	return Walk(src, run, do)
}

// A walker follows the fold to make an Entry of each entry.
type walker struct {
	*Fold
	now Entry
}

func (w *walker) entry(op *history.Op, do func(Entry) error) error {
	w.now = Entry{Op: op}
	lease := op.Lease
	if f := w.flights[op.Process]; f != nil && f.Op.F == op.F && op.Type != history.Invoke {
		w.now.Inv = f.Op
		lease = cmp.Or(lease, f.Op.Lease)
	}
	if lease != 0 {
		w.now.Lease = w.byLease[lease]
	}
	switch op.F {
	case history.Crash:
		w.now.Ended = slices.Clone(w.live[w.Client(op)])
	case history.Lost:
		w.now.Lease = w.lostLease(op)
	case history.Probe:
		for _, owner := range op.Owners() {
			g, _ := w.OwnerAt(w.lock(op.Lock), owner, op.Time)
			w.now.Holders = append(w.now.Holders, g)
		}
	}
	if err := w.next(op); err != nil {
		return err
	}
	return do(w.now)
}

// Ended finds the lease that was granted, and the leases that it overtakes. A hold is over
// once its release was called, whatever the answer.
func (w *walker) Ended(l *Lock, c *Call) {
	if w.now.Lease = c.Lease; c.Lease == nil {
		return
	}
	for _, held := range w.live {
		for _, g := range held {
			if g.Lock == l && g.Process != c.Lease.Process && w.releasing(g) == nil && g.Excludes(c.Lease) && g.Inv.Mode != history.Party {
				w.now.Overtakes = append(w.now.Overtakes, g)
			}
		}
	}
}

// releasing returns the release of a lease that is under way; nil for none.
func (v *Fold) releasing(g *Lease) *history.Op {
	for _, f := range v.flights { // a client's next process may release the lease
		if f.Op.F == history.Release && f.Op.Lease == g.Number {
			return f.Op
		}
	}
	return nil
}

// The other events need nothing here: the entry itself holds what they show.

func (w *walker) Called(*Lock, *Call)  {}
func (w *walker) Granted(*Lock, *Call) {}
func (w *walker) Settled(*Piece)       {}
