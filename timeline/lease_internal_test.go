package timeline

import (
	"testing"
	"time"

	"locktorture/history"
)

// Two leases can be held at a time if both are of readers, or both are of permits.
func TestExcludes(t *testing.T) {
	whole, reader, permit := &Lease{}, &Lease{Shared: true}, &Lease{Permits: 1, Capacity: 3}
	check(t, []border{
		{"the whole lock twice", whole.Excludes(whole), true},
		{"readers", reader.Excludes(reader), false},
		{"a reader and the whole lock", reader.Excludes(whole), true},
		{"permits", permit.Excludes(permit), false},
		{"permits and the whole lock", permit.Excludes(whole), true},
		{"the whole lock and permits", whole.Excludes(permit), true},
	})
}

func TestTogether(t *testing.T) {
	asks := func(mode string, n int) *Call { return &Call{Inv: &history.Op{Mode: mode, Permits: n, Capacity: 3}} }
	permits := func(n int) *Lease { return &Lease{Permits: n, Capacity: 3} }
	check(t, []border{
		{"permits that fit", asks(history.Permits, 2).Together(permits(1)), true},
		{"one too many", asks(history.Permits, 2).Together(permits(2)), false},
		{"permits beside the whole lock", asks(history.Permits, 1).Together(&Lease{}), false},
		{"the whole lock beside permits", asks("", 0).Together(permits(1)), false},
		{"readers", asks(history.Shared, 0).Together(&Lease{Shared: true}), true},
		{"a reader beside the whole lock", asks(history.Shared, 0).Together(&Lease{}), false},
	})
}

// The service can have granted a lease only since its first validity less the TTL, where
// leases end by themselves and say when.
func TestSince(t *testing.T) {
	since := func(o Options, until int64) int64 {
		l := &Lease{Inv: moment(100), Ret: moment(500), Answers: []Answer{{500, until, until, nil}}}
		emptyFold(t, o).finishLease(l)
		return l.Since
	}
	const ttl = 2000
	check(t, []border{
		{"by the validity", since(Options{Bounded: true, Expires: true, TTL: ttl}, 2300), int64(300)},
		{"not before the call", since(Options{Bounded: true, Expires: true, TTL: ttl}, 2050), int64(100)},
		{"not after the answer", since(Options{Bounded: true, Expires: true, TTL: ttl}, 9000), int64(500)},
		{"valid without end", since(Options{Bounded: true, Expires: true, TTL: ttl}, history.Never), int64(100)},
		{"leases that do not end by themselves", since(Options{Bounded: true, TTL: ttl}, 2300), int64(100)},
		{"no TTL", since(Options{Bounded: true, Expires: true}, 2300), int64(100)},
	})
}

func TestValidity(t *testing.T) {
	l := &Lease{Answers: []Answer{{10, 2000, 2000, nil}, {500, 400, 400, nil}}}
	check(t, []border{
		{"no answer", Answers(nil).validity(), int64(NoPromise)},
		{"the first counts until the second was told", l.Answers.validity(), int64(500)},
	})
}

// A promise is over at its end.
func TestJoins(t *testing.T) {
	within := func(end int64) bool {
		l := leased(2, 100, 900)
		l.outer = leased(1, 0, end)
		l.joins()
		return l.outer != nil
	}
	check(t, []border{
		{"granted as the outer promise ended", within(100), false},
		{"before that", within(101), true},
	})
}

func TestReentered(t *testing.T) {
	check(t, []border{
		{"nobody", Reentered([]*Call{{}}), false},
		{"a holder", Reentered([]*Call{{}, {Within: &Lease{}}}), true},
	})
}

func TestRenewedSince(t *testing.T) {
	l := &Lease{Renewals: []history.Call{{Invoke: moment(90), Return: &history.Op{Time: 100, Type: history.OK}}}}
	check(t, []border{
		{"renewed at the first moment", l.RenewedSince(100, 200), false},
		{"after it", l.RenewedSince(99, 200), true},
		{"at the last", l.RenewedSince(50, 100), true},
		{"after that", l.RenewedSince(50, 99), false},
	})
}

// TestHolds: what the sentence says of the end of a promise.
func TestHolds(t *testing.T) {
	const s = int64(time.Second)
	released := leased(1, 0, s)
	released.RelCall, released.Crash, released.Killed = moment(s), moment(3*s), 2*s
	killed := leased(1, 0, s)
	killed.Crash, killed.Killed = moment(2*s), s
	untold := leased(1, 0, NoPromise)
	check(t, []border{
		{"released, and killed later", released.Holds(Options{}), "was not released before 1.000 s"},
		{"killed", killed.Holds(Options{}), "was held until its client was killed, at 1.000 s at the earliest"},
		{"no validity was told", untold.Holds(Options{Bounded: true}), "was not reported lost before never"},
	})
}

// What ended a lease that nobody released.
func TestEnding(t *testing.T) {
	lost, crash, call := moment(7), moment(8), moment(6)
	end := func(l *Lease) *history.Op { op, _ := l.Ending(); return op }
	check(t, []border{
		{"nothing", end(&Lease{}), (*history.Op)(nil)},
		{"its loss", end(&Lease{Lost: lost}), lost},
		{"lost and released", end(&Lease{Lost: lost, RelCall: call}), (*history.Op)(nil)},
		{"the death of its holder", end(&Lease{Lost: lost, Crash: crash}), crash},
	})
}

// A loss orders a lease's end by its own line, unless its holder has died before.
func TestLostLine(t *testing.T) {
	line := func(g *Lease) int {
		v := emptyFold(t, Options{})
		v.byLease[7], v.at = g, 9
		v.lost(&history.Op{Lease: 7})
		return g.endLine
	}
	check(t, []border{
		{"lost", line(&Lease{endLine: 5}), 9},
		{"its holder was dead", line(&Lease{endLine: 5, Crash: moment(3)}), 5},
	})
}

// A loss that was told as the release was answered explains that it found nothing.
func TestGaveUp(t *testing.T) {
	gaveUp := func(lost int64, answer history.Type) bool {
		return (&Lease{Lost: moment(lost), RelRet: &history.Op{Time: 100, Type: answer}}).GaveUp()
	}
	check(t, []border{
		{"told with the answer", gaveUp(100, history.Fail), true},
		{"told later", gaveUp(101, history.Fail), false},
		{"released all the same", gaveUp(100, history.OK), false},
	})
}
