package timeline

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"locktorture/history"
)

// A Fold is the second reading in progress. It holds of each lock what came since the last piece,
// and what later pieces may still need of those before.
type Fold struct {
	*Run
	every   int // how much of a lock is judged at a time, see settle
	at      int // line
	now     int64
	locks   map[string]*Lock
	byLease map[int64]*Lease // that are not over yet
	live    map[int][]*Lease // client → leases neither released nor crashed yet
	alive   map[int]int64    // client → its last sign of life so far
	flights map[int]*Flight  // by process
	sound   Connections
	due     []*Lock // to be judged at their next quiet moment
	to      Followers
}

// Followers are shown what the fold reads, while it reads it. None may be nil.
type Followers struct {
	Locks   LocksFollower
	Latches LatchesFollower
	Stores  StoresFollower
}

// A LocksFollower also gets every piece of each lock, in order.
type LocksFollower interface {
	Follower
	Settled(p *Piece)
}

// A LatchesFollower sees the calls for latches, and their answers: ret is nil for a call that was
// never answered. Last ends the history.
type LatchesFollower interface {
	Called(op *history.Op)
	Answered(inv, ret *history.Op)
	Last()
}

// A StoresFollower sees the operations on stores. Last ends the history.
type StoresFollower interface {
	Called(f *Flight)              // for an operation that will return
	Add(a *Access, call, done int) // the lines of its entries
	Over(lease int64)              // nothing more is done under it
	Last()
}

// A Lock has what happened at one lock. Leases are in the order in which the grants returned, calls
// in the order in which they were made.
type Lock struct {
	Name     string
	Leases   []*Lease  // those of this piece, after the Judged ones of earlier pieces that are still needed
	Judged   int       // how many of Leases were in an earlier piece
	Kept     []*Call   // that have ended, also those of earlier pieces that can still bear witness
	Accesses []*Access // operations on stores under leases of the lock, in this piece

	Capacity, Parties int     // of a semaphore; of a barrier: the largest that was named
	Holding           int     // leases that were neither released nor ended by a death, as the fold reads
	open              int     // leases under which something may still be done
	busy              int     // operations under leases that are under way
	blockers          int     // of Pending, those that have to end before a piece is cut (gap)
	Pending           []*Call // under way, by call
	size, limit       int     // entries since the last piece; how many make the next one due
	Sights            Sights
	gone, left        int64          // the latest end of a lease: of those in pieces; of all
	Listings          []*history.Op  // looks at all who hold it that were in no piece yet
	begun             []*Call        // since the last piece, by call, without re-entries
	Freed             int64          // when the answer to a release showed that the last holder had gone; 0 if that is not known
	Steps             []*Lease       // each with a greater token than all before it
	Observations      []*Observation // of who leads
}

// Whole is a bound that no history reaches: each lock is one piece.
const Whole = math.MaxInt

// PieceSize is after how many entries of a lock its piece is cut, at the next moment at which
// nobody holds it and nothing but waits is under way. It trades memory for the work of each piece;
// verdicts do not depend on it.
const PieceSize = 1 << 11

// Read reads the history of a survey again, and shows the followers what happened. Pieces have
// about every entries. It keeps sound up to date: which clients are surely connected at the entry
// that is being read.
func Read(src history.Source, s *Run, sound Connections, every int, to Followers) error {
	v := newFold(s, sound, every, to)
	if err := src.Each(v.next); err != nil {
		return err
	}
	v.last()
	return nil
}

// newFold begins the second reading. Where an entry that comes late may belong to what was long
// before it, a lock is one piece.
func newFold(s *Run, sound Connections, every int, to Followers) *Fold {
	if s.Untimely || s.Options.Kind == ElectionKind || s.Options.Kind == BarrierKind { // who comes late may belong to what was before
		every = Whole
	}
	return &Fold{
		Run: s, every: every, locks: map[string]*Lock{}, byLease: map[int64]*Lease{}, live: map[int][]*Lease{},
		alive: map[int]int64{}, flights: map[int]*Flight{}, sound: sound, to: to,
	}
}

// next takes the next entry.
func (v *Fold) next(op *history.Op) error {
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
		if f := v.flights[op.Process]; f != nil && f.Op.F == op.F {
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

// invoke takes the call of an operation. An operation under a lease keeps the piece of the lock
// open until it is answered.
func (v *Fold) invoke(op *history.Op) {
	f := &Flight{Op: op, Line: v.at}
	v.flights[op.Process] = f
	switch op.F {
	case history.Acquire, history.Try:
		v.call(f)
	case history.SetCount, history.CountDown, history.Await:
		v.to.Latches.Called(op)
	case history.Read, history.Write, history.CAS:
		if !v.never[f.Line] {
			v.to.Stores.Called(f)
		}
	}
	if g := v.byLease[op.Lease]; g != nil {
		f.lock = g.Lock
		f.lock.busy++
		g.waits = g.waits || v.never[f.Line]
	}
}

// call begins an acquire or a try.
func (v *Fold) call(f *Flight) {
	op := f.Op
	l := v.lock(op.Lock)
	w := &Call{Inv: op, Lock: l, Client: v.Client(op), Process: op.Process, Line: f.Line, Called: op.Time, End: math.MaxInt64}
	f.wait = w
	l.Capacity, l.Parties = max(l.Capacity, op.Capacity), max(l.Parties, op.Parties)
	w.Within = v.inside(w)
	w.served = v.sound.servedSince(w.Client, w.Process)
	if w.Within == nil {
		l.begun = append(l.begun, w)
		l.Sights.called(w)
		v.to.Locks.Called(l, w)
	}
	if v.never[f.Line] {
		v.finishWait(w)
		l.Kept = append(l.Kept, w)
		if w.Inv.F == history.Try {
			v.to.Locks.Ended(l, w)
		}
		return
	}
	l.Pending = append(l.Pending, w)
}

// land ends an operation.
func (v *Fold) land(f *Flight, op *history.Op) {
	delete(v.flights, op.Process)
	if f.lock != nil {
		f.lock.busy--
	}
	switch {
	case f.wait != nil:
		v.answered(f.wait, op)
	case isLatch(op.F):
		v.to.Latches.Answered(f.Op, op)
	default:
		v.operation(f.Op, op, f.Line)
	}
}

// last ends the history and settles what is left. Operations that were never answered are added in
// the order of their calls.
func (v *Fold) last() {
	for _, f := range slices.SortedFunc(maps.Values(v.flights), func(a, b *Flight) int {
		return cmp.Or(cmp.Compare(a.Op.Time, b.Op.Time), cmp.Compare(a.Op.Process, b.Op.Process))
	}) {
		switch {
		case f.wait != nil:
		case isLatch(f.Op.F):
			v.to.Latches.Answered(f.Op, nil)
		default:
			v.operation(f.Op, nil, f.Line)
		}
	}
	v.to.Latches.Last()
	for _, l := range v.byName() {
		v.settle(l, true)
	}
	v.to.Stores.Last()
}

// lock returns a lock by its name, which may be new.
func (v *Fold) lock(name string) *Lock {
	l := v.locks[name]
	if l == nil {
		l = &Lock{Name: name, limit: v.every}
		l.Sights.Init()
		l.gone, l.left = v.First, v.First
		v.locks[name] = l
	}
	return l
}

// byName returns the locks in the order of their names.
func (v *Fold) byName() []*Lock {
	return slices.SortedFunc(maps.Values(v.locks), func(a, b *Lock) int { return cmp.Compare(a.Name, b.Name) })
}

// finishWait says when a call was over: at its answer, at the death of its process, or at the end
// of the history.
func (s *Run) finishWait(w *Call) {
	w.End = s.End
	if w.Ret != nil {
		w.End = w.Ret.Time
	}
	if at, ok := s.crashed[w.Process]; ok && at >= w.Called && w.Lease == nil && (w.Ret == nil || at < w.End) {
		w.End, w.Dead = at, true
	}
}

// A Follower sees the calls for a lock one by one, as the fold reads them. Re-entries are ended,
// but neither called nor granted: their process holds the lock already.
type Follower interface {
	Called(l *Lock, w *Call)
	Granted(l *Lock, w *Call) // its lease is not among those of the lock yet
	Ended(l *Lock, w *Call)
}
