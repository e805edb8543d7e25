package timeline

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"locktorture/history"
)

// A Fold is the second reading in progress. For each lock, it holds the entries since the last
// piece, and what later pieces may still need from earlier ones.
type Fold struct {
	*Run
	every   int // how many entries make a lock due to be settled; see settleDue
	at      int // line of the entry that is read
	now     int64
	locks   map[string]*Lock
	byLease map[int64]*Lease // by number: leases that are not over yet
	live    map[int][]*Lease // client → leases neither released nor crashed yet
	alive   map[int]int64    // client → its last sign of life so far
	flights map[int]*Flight  // by process
	sound   Connections
	due     []*Lock // locks to be settled at their next quiet moment
	to      Followers
}

// Followers are told what the fold reads, while it reads. None of them may be nil.
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
	Over(lease int64)              // nothing more is done under this lease
	Last()
}

// A Lock holds what happened at one lock. Leases are in the order in which the grants
// returned, calls in the order in which they were made.
type Lock struct {
	Name     string
	Leases   []*Lease  // first the Judged leases of earlier pieces that are still needed, then those of this piece
	Judged   int       // how many of Leases were in an earlier piece
	Kept     []*Call   // calls that have ended, and those of earlier pieces that can still be evidence
	Accesses []*Access // operations on stores under leases of the lock, in this piece

	Capacity, Parties int     // the largest capacity (semaphore) and number of parties (barrier) that a call named
	Holding           int     // leases so far that were neither released nor ended by a death
	open              int     // leases under which something may still be done
	busy              int     // operations under leases that are under way
	blockers          int     // how many of Pending must end before a piece is cut (Call.gap)
	Pending           []*Call // calls under way, in the order of their calls
	size, limit       int     // entries since the last piece; how many make the next one due
	Sights            Sights
	gone, left        int64          // the latest end of a lease: among settled leases (Lease.Gone); among all so far
	Listings          []*history.Op  // looks that list all holders, and were in no piece yet
	begun             []*Call        // calls made since the last piece, in order, without re-entries
	Freed             int64          // when the answer to a release showed that the last holder had gone; 0 if that is not known
	Steps             []*Lease       // leases whose token is greater than all tokens before it
	Observations      []*Observation // observations of who leads
}

// Whole is a bound that no history reaches: each lock is one piece.
const Whole = math.MaxInt

// PieceSize is the number of entries of a lock after which its piece is cut, at the next
// moment at which nobody holds the lock and nothing but waits is under way. It trades memory
// for the work of each piece; verdicts do not depend on it.
const PieceSize = 1 << 11

// Read reads the history of a survey again, and tells the followers what happened. A piece has
// about as many entries as every says. Read keeps sound up to date: it holds the clients that
// are surely connected at the entry that is being read.
func Read(src history.Source, s *Run, sound Connections, every int, to Followers) error {
	v := newFold(s, sound, every, to)
	if err := src.Each(v.next); err != nil {
		return err
	}
	v.last()
	return nil
}

// newFold begins the second reading. Each lock is one piece where a late entry may belong to
// something long before it.
func newFold(s *Run, sound Connections, every int, to Followers) *Fold {
	if s.Untimely || s.Options.Kind == ElectionKind || s.Options.Kind == BarrierKind {
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

// lock returns the lock of that name, and makes it if it is new.
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

// finishWait sets when a call was over: at its answer, at the death of its process, or at the
// end of the history.
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
	Granted(l *Lock, w *Call) // before its lease is added to l.Leases
	Ended(l *Lock, w *Call)
}
