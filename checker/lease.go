package checker

import (
	"math"
	"slices"

	"locktorture/history"
)

// A lease is a grant and what became of it.
type lease struct {
	lock            *lockView
	process, client int
	n               int64
	token           uint64

	// What was granted (claims.go): the whole lock where all are zero.
	shared            bool // beside other readers
	campaign          bool // the leadership, in the term that is the token
	permits, capacity int  // of a semaphore
	owner             string

	wait     *wait
	inv, ret *history.Op
	// since is the earliest moment at which the service can have granted it:
	// the call, or for a lease that declares its validity the first answer
	// less the TTL, because a validity never counts from after the grant.
	since int64

	answers         []answer
	over            *history.Op // an Ask answered that the lease is over
	lost            *history.Op
	crash           *history.Op
	killed          int64 // of crash: the earliest time of death
	relCall, relRet *history.Op
	again           []history.Call // further releases of the same lease
	renewals        []history.Call
	changes         []history.Call // upgrades and downgrades
	upgraded        *lease         // of what a reader became: its lease

	next *lease // grant to another process after which the lock was no longer this one's, see linkNext
	told int64  // the holder knows that it holds no longer
	end  int64  // of the promise
	gone int64  // the holder is no longer there
	lag  int64  // of the notice, after next returned; 0: in time

	// Lines of the calls, which order what has one stamp.
	line, relLine, endLine int
	renewLines             []int

	inner   bool   // a re-entry
	outer   *lease // of a re-entry that has the grant of another; nil: its own
	repeats bool   // the token of a lease that its process still had, though it had been told that this is over
	ended   bool   // released, or its holder dead
	waits   bool   // for what is never answered
	asked   int64  // when its client called for the lock again
}

// An answer is a validity as it was told.
type answer struct {
	at       int64 // when the reply was there
	min, max int64
	op       *history.Op
}

// noPromise is the end of a promise that was never made.
const noPromise = math.MinInt64

func (l *lease) granted() int64 { return l.ret.Time }

// before reports whether l was surely granted before m: its grant had returned
// when that of m can have happened at the earliest.
func (l *lease) before(m *lease) bool { return l.granted() < m.since }

// joins tells whether a re-entry belongs to the grant that its client had. That is over where
// the promise was, or where the token shows another.
func (l *lease) joins() {
	if o := l.outer; o == nil || o.end <= l.granted() || o.token != l.token {
		l.outer = nil
		return
	}
	l.since = l.outer.since
}

// grant is the lease with which the client was granted the lock: of a re-entry the outermost.
func (l *lease) grant() *lease {
	for l.outer != nil {
		l = l.outer
	}
	return l
}

// toldAt is the time at which the driver heard of the loss, which its own
// reading says better than the time of the record.
func toldAt(lost *history.Op) int64 {
	if at, ok := lost.Began(); ok {
		return at
	}
	return lost.Time
}

func (v *survey) finishLease(l *lease) {
	l.since = l.inv.Time
	if v.o.Bounded && v.o.Expires && v.o.TTL > 0 && len(l.answers) > 0 && l.answers[0].min < history.Never {
		l.since = min(max(l.since, l.answers[0].min-int64(v.o.TTL)), l.granted())
	}
	l.joins()
	l.gone, l.told = math.MaxInt64, math.MaxInt64
	if l.relCall != nil {
		l.told = l.relCall.Time
		if l.relRet != nil {
			l.gone = l.relRet.Time
		}
	}
	if l.crash != nil {
		l.gone = min(l.gone, l.crash.Time)
		l.told = min(l.told, l.killed)
	}
	if l.lost != nil && v.o.Watched {
		l.told = min(l.told, toldAt(l.lost))
	}
	if l.over != nil {
		l.told = min(l.told, l.over.Time)
	}
	l.end = l.told
	if v.o.Bounded {
		l.end = min(l.told, l.validity())
	}
}

// validity is the end of the promise as it was told: each answer counts until
// the next one, the last one until the validity it named.
func (l *lease) validity() int64 {
	n := len(l.answers)
	if n == 0 {
		return noPromise
	}
	end := l.answers[n-1].min
	for i := n - 2; i >= 0; i-- {
		end = max(end, min(l.answers[i].min, l.answers[i+1].at))
	}
	return end
}

// empty reports whether the lease was over before it had promised anything.
func (l *lease) empty() bool { return len(l.answers) == 0 && l.over != nil }

// lastAnswer returns the answer that the holder had last heard at t.
func (l *lease) lastAnswer(t int64) (answer, bool) {
	i, _ := slices.BinarySearchFunc(l.answers, t, func(a answer, t int64) int {
		if a.at <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return answer{}, false
	}
	return l.answers[i-1], true
}

// renewedSince reports whether a renewal succeeded between two moments.
func (l *lease) renewedSince(from, to int64) bool {
	return slices.ContainsFunc(l.renewals, func(c history.Call) bool {
		return c.Return != nil && c.Return.Type == history.OK && c.Return.Time > from && c.Return.Time <= to
	})
}

// firstTold and lastTold are the answers that a witness shows; nil if none.
func (l *lease) firstTold() *history.Op {
	if len(l.answers) == 0 {
		return nil
	}
	return l.answers[0].op
}

func (l *lease) lastTold() *history.Op {
	if len(l.answers) == 0 {
		return nil
	}
	return l.answers[len(l.answers)-1].op
}

// releasedForCertain reports whether the service did release it.
func (l *lease) releasedForCertain() bool { return l.relRet != nil && l.relRet.Type == history.OK }
