package rule

import (
	"testing"
	"time"

	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/timeline"
)

func counted(party string, call, ret int64, answer history.Type) timeline.LatchCall {
	return timeline.LatchCall{Inv: &history.Op{F: history.CountDown, Lock: "G", Value: party, Parties: 2, Time: call}, Ret: &history.Op{F: history.CountDown, Time: ret, Type: answer}}
}

// TestLatchOperations: a party that counted down again is one operation, from its first call
// to its first answer that says so.
func TestLatchOperations(t *testing.T) {
	first := func(calls ...timeline.LatchCall) linear.Operation {
		list, _ := (&latch{calls: calls}).operations()
		return list[0]
	}
	unknown := counted("a", 0, 5, history.Info)
	check(t, []border{
		{"unknown, then answered", first(unknown, counted("a", 6, 9, history.OK)).Return, int64(9)},
		{"answered twice", first(counted("a", 0, 9, history.OK), counted("a", 1, 7, history.OK)).Return, int64(7)},
		{"later again", first(counted("a", 0, 7, history.OK), counted("a", 1, 9, history.OK)).Return, int64(7)},
		{"then unknown", first(counted("a", 0, 7, history.OK), counted("a", 1, 5, history.Info)).Return, int64(7)},
		{"then unknown: its answer", first(counted("a", 0, 7, history.OK), counted("a", 1, 5, history.Info)).Status, linear.OK},
	})
	parties, _ := (&latch{calls: []timeline.LatchCall{unknown, counted("b", 1, 9, history.OK)}}).operations()
	check(t, []border{{"processes", parties[0].Process != parties[1].Process && parties[0].Process < 0 && parties[1].Process < 0, true}})
}

// TestOpened: a latch is open with the first answer of the last party.
func TestOpened(t *testing.T) {
	opened := func(calls ...timeline.LatchCall) int64 {
		l := &latch{parties: 2, open: history.Never, calls: calls}
		l.opened()
		return l.open
	}
	a, b := counted("a", 0, 7, history.OK), counted("b", 0, 9, history.OK)
	already := &latch{parties: 2, open: 3, calls: []timeline.LatchCall{a, b}}
	already.opened()
	check(t, []border{
		{"both", opened(a, b), int64(9)}, {"one", opened(a), int64(history.Never)}, {"the last again, later", opened(a, b, counted("b", 1, 11, history.OK)), int64(9)},
		{"the last again, answered before", opened(a, b, counted("b", 1, 8, history.OK)), int64(8)}, {"open already", already.open, int64(3)},
	})
}

// TestLatchAnswered: a latch is judged when it is open and nothing is under way; a pass is
// measured.
func TestLatchAnswered(t *testing.T) {
	v := emptyView(t, timeline.Options{Kind: timeline.LatchKind, FreeWithin: time.Second})
	var calls []timeline.LatchCall
	for _, c := range []timeline.LatchCall{counted("a", 0, 7, history.OK), counted("b", 0, 9, history.OK)} {
		calls = append(calls, c)
		v.latches.Called(c.Inv)
	}
	l := v.latches.byName["G"]
	pending := l.pending
	v.latches.Answered(calls[0].Inv, calls[0].Ret)
	one := l.judged
	v.latches.Answered(calls[1].Inv, calls[1].Ret)
	await := &history.Op{F: history.Await, Lock: "G", Time: 10}
	v.latches.measureWait(timeline.LatchCall{Inv: await, Ret: &history.Op{F: history.Await, Type: history.OK, Time: 14}})
	check(t, []border{
		{"under way", pending, 2}, {"judged with one", one, false}, {"judged with both", l.judged, true}, {"none under way", l.pending, 0},
		{"a pass", v.on.Totals.Acquire.Rank(0), int64(4)}, {"of its client", v.on.Totals.PerClient[v.Client(await)], 1},
	})
	never := &latch{parties: 2, open: history.Never, name: "N"}
	v.latches.judge(never)
	check(t, []border{{"one that never opened", never.judged, false}})
}

// TestEachOther: two upgrades that wait for each other for longer than a lock may take, stalls
// not counted.
func TestEachOther(t *testing.T) {
	waits := func(lasted, stall int64, other *timeline.Lease) bool {
		v := emptyView(t, timeline.Options{FreeWithin: time.Second})
		v.Stalls = []timeline.Window{{From: 100, To: 100 + stall}}
		a, b := leased(1, 0, 9e9), leased(2, 0, 9e9)
		leases := []*timeline.Lease{a, b}
		if other != nil {
			leases = append(leases, other)
		}
		call := history.Call{Invoke: moment(0)}
		return (&upgradeDeadlock{based(v)}).eachOther(leases, upgrading{a, call, lasted}, upgrading{b, call, lasted})
	}
	o := timeline.Options{FreeWithin: time.Second}
	limit := o.FreeBy()
	check(t, []border{
		{"as long as it may take", waits(limit, 0, nil), false}, {"1 ns longer", waits(limit+1, 0, nil), true},
		{"a stall of 10 ns", waits(limit+10, 10, nil), false}, {"and 1 ns", waits(limit+11, 10, nil), true},
		{"another was there", waits(limit+1, 0, leased(3, 0, 100)), false}, {"another came as it ended", waits(limit+1, 0, leased(3, limit+1, 9e9)), true},
	})
}
