package timeline

import (
	"math"
	"slices"

	"locktorture/history"
)

// A lease is a grant and what became of it.
type Lease struct {
	Lock            *Lock
	Process, Client int
	Number          int64
	Token           uint64

	// What was granted (claims.go): the whole lock where all are zero.
	Shared            bool // beside other readers
	Campaign          bool // the leadership, in the term that is the token
	Permits, Capacity int  // of a semaphore
	Owner             string

	Call     *Call
	Inv, Ret *history.Op
	// since is the earliest moment at which the service can have granted it:
	// the call, or for a lease that declares its validity the first answer
	// less the TTL, because a validity never counts from after the grant.
	Since int64

	Answers         []Answer
	Over            *history.Op // an Ask answered that the lease is over
	Lost            *history.Op
	Crash           *history.Op
	Killed          int64 // of crash: the earliest time of death
	RelCall, RelRet *history.Op
	Again           []history.Call // further releases of the same lease
	Renewals        []history.Call
	Changes         []history.Call // upgrades and downgrades
	upgraded        *Lease         // of what a reader became: its lease

	Next *Lease // grant to another process after which the lock was no longer this one's, see linkNext
	Told int64  // the holder knows that it holds no longer
	End  int64  // of the promise
	Gone int64  // the holder is no longer there
	Lag  int64  // of the notice, after next returned; 0: in time

	// Lines of the calls, which order what has one stamp.
	Line, RelLine, endLine int
	RenewLines             []int

	Inner   bool   // a re-entry
	outer   *Lease // of a re-entry that has the grant of another; nil: its own
	repeats bool   // the token of a lease that its process still had, though it had been told that this is over
	ended   bool   // released, or its holder dead
	waits   bool   // for what is never answered
	asked   int64  // when its client called for the lock again
}

// An answer is a validity as it was told.
type Answer struct {
	At       int64 // when the reply was there
	Min, Max int64
	Op       *history.Op
}

// noPromise is the end of a promise that was never made.
const NoPromise = math.MinInt64

func (l *Lease) Granted() int64 { return l.Ret.Time }

// before reports whether l was surely granted before m: its grant had returned
// when that of m can have happened at the earliest.
func (l *Lease) Before(m *Lease) bool { return l.Granted() < m.Since }

// joins tells whether a re-entry belongs to the grant that its client had. That is over where
// the promise was, or where the token shows another.
func (l *Lease) joins() {
	if o := l.outer; o == nil || o.End <= l.Granted() || o.Token != l.Token {
		l.outer = nil
		return
	}
	l.Since = l.outer.Since
}

// grant is the lease with which the client was granted the lock: of a re-entry the outermost.
func (l *Lease) Grant() *Lease {
	for l.outer != nil {
		l = l.outer
	}
	return l
}

// toldAt is the time at which the driver heard of the loss, which its own
// reading says better than the time of the record.
func ToldAt(lost *history.Op) int64 {
	if at, ok := lost.Began(); ok {
		return at
	}
	return lost.Time
}

func (v *Run) finishLease(l *Lease) {
	l.Since = l.Inv.Time
	if v.Options.Bounded && v.Options.Expires && v.Options.TTL > 0 && len(l.Answers) > 0 && l.Answers[0].Min < history.Never {
		l.Since = min(max(l.Since, l.Answers[0].Min-int64(v.Options.TTL)), l.Granted())
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
	if l.Lost != nil && v.Options.Watched {
		l.Told = min(l.Told, ToldAt(l.Lost))
	}
	if l.Over != nil {
		l.Told = min(l.Told, l.Over.Time)
	}
	l.End = l.Told
	if v.Options.Bounded {
		l.End = min(l.Told, l.validity())
	}
}

// validity is the end of the promise as it was told: each answer counts until
// the next one, the last one until the validity it named.
func (l *Lease) validity() int64 {
	n := len(l.Answers)
	if n == 0 {
		return NoPromise
	}
	end := l.Answers[n-1].Min
	for i := n - 2; i >= 0; i-- {
		end = max(end, min(l.Answers[i].Min, l.Answers[i+1].At))
	}
	return end
}

// Least and Until return the earliest and the latest possible end of the validity, as the lock
// declared it last; 0 if it never declared one.
func (l *Lease) Least() int64 { return l.declared().Min }
func (l *Lease) Until() int64 { return l.declared().Max }

func (l *Lease) declared() (last Answer) {
	for _, a := range slices.Backward(l.Answers) {
		if a.Max != 0 {
			return a
		}
	}
	return last
}

// empty reports whether the lease was over before it had promised anything.
func (l *Lease) Empty() bool { return len(l.Answers) == 0 && l.Over != nil }

// lastAnswer returns the answer that the holder had last heard at t.
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

// renewedSince reports whether a renewal succeeded between two moments.
func (l *Lease) RenewedSince(from, to int64) bool {
	return slices.ContainsFunc(l.Renewals, func(c history.Call) bool {
		return c.Return != nil && c.Return.Type == history.OK && c.Return.Time > from && c.Return.Time <= to
	})
}

// firstTold and lastTold are the answers that a witness shows; nil if none.
func (l *Lease) FirstTold() *history.Op {
	if len(l.Answers) == 0 {
		return nil
	}
	return l.Answers[0].Op
}

func (l *Lease) LastTold() *history.Op {
	if len(l.Answers) == 0 {
		return nil
	}
	return l.Answers[len(l.Answers)-1].Op
}

// releasedForCertain reports whether the service did release it.
func (l *Lease) ReleasedForCertain() bool { return l.RelRet != nil && l.RelRet.Type == history.OK }
