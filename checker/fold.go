package checker

import (
	"cmp"
	"math"

	"locktorture/history"
)

// A view is a history while it is judged: leases with what was done under
// them, waits, store operations, probes. It holds of each lock the part since
// the last quiet moment, and what a later part may still need of those before.
type view struct {
	*survey
	every   int // how much of a lock is judged at a time, see settle
	at      int // line
	now     int64
	locks   map[string]*lockView
	byLease map[int64]*lease // that are not over yet
	live    map[int][]*lease // client → leases neither released nor crashed yet
	alive   map[int]int64    // client → its last sign of life so far
	flights map[int]*flight  // by process
	sound   connections
	due     []*lockView // to be judged at their next quiet moment
	to      following
}

// following says who is told what the fold reads, while it reads it.
type following struct {
	locks interface {
		follower
		settled(p *piece) // of each lock every piece, in order
	}
	latches interface {
		called(op *history.Op)
		answered(inv, ret *history.Op) // ret is nil if there is no answer
		last()
	}
	stores interface {
		called(f *flight)              // for an operation that will return
		add(a *access, call, done int) // the lines of its entries
		over(lease int64)              // nothing more is done under it
		last()
	}
}

// A lockView is what concerns one lock. Leases are in the order in which the
// grants returned, the others in the order of their calls.
type lockView struct {
	name     string
	leases   []*lease // those from judged on are new
	judged   int
	waits    []*wait
	accesses []*access

	capacity, parties             int     // of a semaphore; of a barrier
	open, holding, busy, blockers int     // leases not over; held; operations under leases; waits with gap
	pending                       []*wait // under way, by call
	size, limit                   int     // entries since it was judged; how many make it due
	sights                        sights
	gone, left                    int64          // the latest end of a lease: of those in pieces; of all
	listings                      []*history.Op  // looks at all who hold it that were in no piece yet
	begun                         []*wait        // since the last piece, by call, but for re-entries
	freed                         int64          // when the last holder had surely gone, by the answer to its release; 0: that is not known
	steps                         []*lease       // each with a greater token than all before
	observations                  []*observation // of who leads
}

// whole is a bound that no history reaches: it is judged in one piece.
const whole = math.MaxInt

// settled says when a lock is judged: after this many entries, at the next
// moment at which nobody holds it and nothing is under way but waits.
const settled = 1 << 11

// fold reads the history behind a survey and tells of each lock the pieces of about so many
// entries.
func fold(src history.Source, s *survey, sound connections, every int, to following) error {
	v := newView(s, sound, every, to)
	if err := src.Each(v.next); err != nil {
		return err
	}
	v.last()
	return nil
}

func newView(s *survey, sound connections, every int, to following) *view {
	if s.untimely || s.o.Kind == electionKind || s.o.Kind == barrierKind { // who comes late may belong to what was before
		every = whole
	}
	return &view{
		survey: s, every: every, locks: map[string]*lockView{}, byLease: map[int64]*lease{}, live: map[int][]*lease{},
		alive: map[int]int64{}, flights: map[int]*flight{}, sound: sound, to: to,
	}
}

// next takes the next entry.
func (v *view) next(op *history.Op) error {
	if op.F == history.End {
		return nil
	}
	if op.Time > v.now && len(v.due) > 0 {
		v.settleDue()
	}
	v.now = op.Time
	if op.Process >= 0 && op.Client > 0 && !op.F.Event() {
		v.alive[op.Client] = op.Time
	}
	switch {
	case op.Type == history.Invoke && !op.F.Event():
		v.invoke(op)
	case op.F.Event():
		v.event(op)
	default:
		if f := v.flights[op.Process]; f != nil && f.op.F == op.F {
			v.land(f, op)
		}
	}
	if op.Lease != 0 { // a lease that is over and was named here for the last time is closed now
		if last, ok := v.late[op.Lease]; ok && last == v.at {
			if g := v.byLease[op.Lease]; g != nil {
				v.close(g)
			}
		}
	}
	v.at++
	return nil
}

func (v *view) invoke(op *history.Op) {
	f := &flight{op: op, line: v.at}
	v.flights[op.Process] = f
	switch op.F {
	case history.Acquire, history.Try:
		v.call(f)
	case history.SetCount, history.CountDown, history.Await:
		v.to.latches.called(op)
	case history.Read, history.Write, history.CAS:
		if !v.never[f.line] {
			v.to.stores.called(f)
		}
	}
	if g := v.byLease[op.Lease]; g != nil {
		f.lock = g.lock
		f.lock.busy++
		g.waits = g.waits || v.never[f.line]
	}
}

// call begins a wait.
func (v *view) call(f *flight) {
	op := f.op
	l := v.lock(op.Lock)
	w := &wait{inv: op, lock: l, client: v.client(op), process: op.Process, line: f.line, call: op.Time, end: math.MaxInt64}
	f.wait = w
	l.capacity, l.parties = max(l.capacity, op.Capacity), max(l.parties, op.Parties)
	w.within = v.inside(w)
	w.served = v.sound.servedSince(w.client, w.process)
	if w.within == nil {
		l.begun = append(l.begun, w)
		l.sights.called(w)
		v.to.locks.called(l, w)
	}
	if v.never[f.line] {
		v.finishWait(w)
		l.waits = append(l.waits, w)
		if w.inv.F == history.Try {
			v.to.locks.ended(l, w)
		}
		return
	}
	l.pending = append(l.pending, w)
}

// land ends an operation.
func (v *view) land(f *flight, op *history.Op) {
	delete(v.flights, op.Process)
	if f.lock != nil {
		f.lock.busy--
	}
	switch {
	case f.wait != nil:
		v.answered(f.wait, op)
	case isLatch(op.F):
		v.to.latches.answered(f.op, op)
	default:
		v.operation(f.op, op, f.line)
	}
}

// last ends the history and judges what is left of it. What never returned
// is added in the order of the calls.
func (v *view) last() {
	for _, f := range sorted(v.flights, func(a, b *flight) int {
		return cmp.Or(cmp.Compare(a.op.Time, b.op.Time), cmp.Compare(a.op.Process, b.op.Process))
	}) {
		switch {
		case f.wait != nil:
		case isLatch(f.op.F):
			v.to.latches.answered(f.op, nil)
		default:
			v.operation(f.op, nil, f.line)
		}
	}
	v.to.latches.last()
	for _, l := range v.byName() {
		v.settle(l, true)
	}
	v.to.stores.last()
}

func (v *view) lock(name string) *lockView {
	l := v.locks[name]
	if l == nil {
		l = &lockView{name: name, limit: v.every}
		l.sights.init()
		l.gone, l.left = v.first, v.first
		v.locks[name] = l
	}
	return l
}

// byName returns the locks in the order of their names.
func (v *view) byName() []*lockView {
	return sorted(v.locks, func(a, b *lockView) int { return cmp.Compare(a.name, b.name) })
}

func (v *survey) finishWait(w *wait) {
	w.end = v.end
	if w.ret != nil {
		w.end = w.ret.Time
	}
	if at, ok := v.crashed[w.process]; ok && at >= w.call && w.lease == nil && (w.ret == nil || at < w.end) {
		w.end, w.dead = at, true
	}
}

// A follower sees the calls for a lock one by one, as the fold reads them. Re-entries are
// ended, but neither called nor granted: their process holds the lock already.
type follower interface {
	called(l *lockView, w *wait)
	granted(l *lockView, w *wait) // its lease is not among those of the lock yet
	ended(l *lockView, w *wait)
}
