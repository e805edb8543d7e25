package timeline

import (
	"math"
	"slices"

	"locktorture/history"
)

// A Lease is a grant and what became of it.
type Lease struct {
	Lock            *Lock
	Process, Client int    // the holder; a re-entry has the process of the outer lease
	Number          int64  // unique in the run
	Token           uint64 // the fencing token; 0 for none

	// What was granted (claims.go). The whole lock was granted if Shared, Campaign and Permits
	// are zero.
	Shared            bool   // beside other readers
	Campaign          bool   // the leadership, in the term that is the token
	Permits, Capacity int    // of a semaphore: this lease has Permits of Capacity
	Owner             string // the name under which the servers keep the lease; "" if the holder was not told

	// Call, Inv and Ret are the acquire or the try that was granted.
	Call     *Call
	Inv, Ret *history.Op
	// Since is the earliest moment at which the service can have granted the lease: the call,
	// or, for a lease that declares its validity, the end in the first answer minus the TTL if
	// that is later. A validity is never counted from a moment after the grant.
	Since int64

	// What became of it. Entries are nil, and lists empty, for what did not happen.
	Answers  Answers        // validities that the holder was told, in order
	Over     *history.Op    // the first answer to an Ask that said the lease was over
	Lost     *history.Op    // the entry that notified the holder of its loss
	Crash    *history.Op    // the holder was killed before it had released
	Killed   int64          // if Crash is set, the earliest possible time of death
	RelCall  *history.Op    // the first release
	RelRet   *history.Op    // its answer; nil if it was never answered
	Again    []history.Call // further releases of the same lease
	Renewals []history.Call
	Changes  []history.Call // upgrades and downgrades
	upgraded *Lease         // the reader's lease, if WithUpgrades made this writer's lease from it

	// The fields below are set when the piece of the lease is complete (finishLease,
	// linkNext).

	// Next is the grant by which another process took the lock from this lease; nil if there
	// was none. Followers must read it while the piece is settled, not later.
	Next *Lease
	Told int64 // from then on the holder knows that it has no lease; Never if it never learns that
	End  int64 // end of the promise: Told, or the end of the validity if that is earlier; NoPromise for none
	Gone int64 // from then on the holder is surely gone; Never if it stays
	Lag  int64 // how many ns too late the notice came after Next had returned; 0: in time

	// Lines of the calls, which order entries of one time.
	Line, RelLine, endLine int
	RenewLines             []int

	Inner   bool   // a re-entry: its process held the lock already
	outer   *Lease // for a re-entry under the same grant, the lease around it; else nil
	repeats bool   // it repeats the token of a lease that its process had not released, but believed to be over
	ended   bool   // it was released, or its holder died
	waits   bool   // an operation under it is never answered
	asked   int64  // when its client called for the lock again; MaxInt64 if it did not
}

// NoPromise is the end of a promise that was never made.
const NoPromise = math.MinInt64

// Granted returns when the grant was answered, in ns.
func (l *Lease) Granted() int64 { return l.Ret.Time }

// Before reports whether l was surely granted before m: its grant had returned by the earliest
// moment at which m can have been granted.
func (l *Lease) Before(m *Lease) bool { return l.Granted() < m.Since }

// joins decides whether a re-entry is part of the grant that its client had. It is not if the
// promise of the outer lease was over, or if the token shows another grant.
func (l *Lease) joins() {
	if o := l.outer; o == nil || o.End <= l.Granted() || o.Token != l.Token {
		l.outer = nil
		return
	}
	l.Since = l.outer.Since
}

// Grant returns the lease with which the client was granted the lock. For a re-entry, that is
// the outermost lease.
func (l *Lease) Grant() *Lease {
	for l.outer != nil {
		l = l.outer
	}
	return l
}

// ToldAt returns when the driver learned of a loss. The driver's own clock reading is closer
// to that moment than the time of the record.
func ToldAt(lost *history.Op) int64 {
	if at, ok := lost.Began(); ok {
		return at
	}
	return lost.Time
}

// finishLease computes the times of a lease from what became of it. The promise ends when the
// holder lets go of the lock or learns that the lease is over. Where leases declare a
// validity, the promise also ends with the validity, if that is earlier.
func (s *Run) finishLease(l *Lease) {
	l.Since = l.Inv.Time
	if s.Options.Bounded && s.Options.Expires && s.Options.TTL > 0 && len(l.Answers) > 0 && l.Answers[0].Min < history.Never {
		l.Since = min(max(l.Since, l.Answers[0].Min-int64(s.Options.TTL)), l.Granted())
	}
	l.joins()
	l.Gone, l.Told = math.MaxInt64, math.MaxInt64
	if l.RelCall != nil {
		l.Told = l.RelCall.Time
		if l.RelRet != nil {
			l.Gone = l.RelRet.Time
		}
	}
	if l.Crash != nil {
		l.Gone = min(l.Gone, l.Crash.Time)
		l.Told = min(l.Told, l.Killed)
	}
	if l.Lost != nil && s.Options.Watched {
		l.Told = min(l.Told, ToldAt(l.Lost))
	}
	if l.Over != nil {
		l.Told = min(l.Told, l.Over.Time)
	}
	l.End = l.Told
	if s.Options.Bounded {
		l.End = min(l.Told, l.Answers.validity())
	}
}

// Least and Until return the earliest and the latest possible end of the validity that the
// lock declared last. They return 0 if it never declared one.
func (l *Lease) Least() int64 { return l.Answers.declared().Min }
func (l *Lease) Until() int64 { return l.Answers.declared().Max }

// Empty reports whether the lease was over before it had promised anything.
func (l *Lease) Empty() bool { return len(l.Answers) == 0 && l.Over != nil }

// LastAnswer returns the answer that the holder had heard last at t; ok is false if it had heard
// none.
func (l *Lease) LastAnswer(t int64) (Answer, bool) {
	i, _ := slices.BinarySearchFunc(l.Answers, t, func(a Answer, t int64) int {
		if a.At <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return Answer{}, false
	}
	return l.Answers[i-1], true
}

// RenewedSince reports whether a renewal succeeded after from, and no later than to.
func (l *Lease) RenewedSince(from, to int64) bool {
	return slices.ContainsFunc(l.Renewals, func(c history.Call) bool {
		return c.Return != nil && c.Return.Type == history.OK && c.Return.Time > from && c.Return.Time <= to
	})
}

// FirstTold returns the first answer that told a validity, for a witness; nil if there is none.
func (l *Lease) FirstTold() *history.Op {
	if len(l.Answers) == 0 {
		return nil
	}
	return l.Answers[0].Op
}

// LastTold returns the last answer that told a validity, for a witness; nil if there is none.
func (l *Lease) LastTold() *history.Op {
	if len(l.Answers) == 0 {
		return nil
	}
	return l.Answers[len(l.Answers)-1].Op
}

// ReleasedForCertain reports whether the service confirmed the release.
func (l *Lease) ReleasedForCertain() bool { return l.RelRet != nil && l.RelRet.Type == history.OK }
