package rule

import (
	"strings"
	"testing"
	"time"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// TestStandstills: two parties are needed, and have come at 1 s. The run ends at 10 s.
func TestStandstills(t *testing.T) {
	found := func(waits ...*timeline.Call) []incident.Anomaly {
		v := emptyView(t, timeline.Options{FreeWithin: time.Second})
		v.End = 10e9
		r := &standstill{based(v)}
		r.check(&timeline.Piece{Lock: &timeline.Lock{Name: "B", Kept: waits}})
		return r.found.Kept["never-open"]
	}
	comes := func(call, end int64, ret *history.Op) *timeline.Call {
		return &timeline.Call{Inv: &history.Op{F: history.Acquire, Time: call, Parties: 2}, Ret: ret, Called: call, End: end}
	}
	one, two := comes(0, 10e9, nil), comes(1e9, 10e9, nil)
	third := found(one, two, comes(3e9, 10e9, nil))
	refused := found(one, two, comes(1e9, 3e9, moment(3e9)))
	check(t, []border{
		{"both have come", len(found(one, two)), 1}, {"one has", len(found(one)), 0},
		{"a third changes nothing", len(third), 1}, {"the time goes on", strings.Contains(third[0].Sentence, "from 1.000 s to 10.000 s"), true},
		{"an answer begins it anew", len(refused), 2}, {"who was answered waits no more", len(refused[1].Ops), 2},
	})
}

// TestUpgradesThatWait: a downgrade waits for nobody, and an upgrade that was refused takes
// nothing from the next.
func TestUpgradesThatWait(t *testing.T) {
	found := func(a, b history.F) int {
		v := emptyView(t, timeline.Options{FreeWithin: time.Second})
		v.End = 10e9
		one, two := leased(1, 0, 20e9), leased(2, 0, 20e9)
		one.Changes = []history.Call{{Invoke: &history.Op{F: a}}}
		two.Changes = []history.Call{{Invoke: &history.Op{F: b}}}
		r := &upgradeDeadlock{based(v)}
		r.check(ofPiece(one, two))
		return r.found.Counts["deadlock"]
	}
	g := leased(1, 0, 900)
	call := func(answer history.Type) history.Call {
		return history.Call{Invoke: &history.Op{F: history.Upgrade}, Return: &history.Op{Type: answer}}
	}
	g.Changes = []history.Call{call(history.Fail), call(history.OK)}
	check(t, []border{
		{"two upgrades", found(history.Upgrade, history.Upgrade), 1}, {"a downgrade", found(history.Upgrade, history.Downgrade), 0},
		{"refused, then granted", len(timeline.WithUpgrades([]*timeline.Lease{g})), 2},
	})
}

// TestMeets: clients meet at latches and at barriers.
func TestMeets(t *testing.T) {
	check(t, []border{
		{"a latch", timeline.Options{Kind: timeline.LatchKind}.Meets(), true}, {"a barrier", timeline.Options{Kind: timeline.BarrierKind}.Meets(), true}, {"a mutex", timeline.Options{}.Meets(), false},
	})
	v := emptyView(t, timeline.Options{})
	v.latches.linearize(&latch{waits: []timeline.LatchCall{{Inv: moment(0), Ret: moment(1)}}})
	check(t, []border{{"a latch without a model", v.latches.linear.judged, false}})
}

// TestLateNoticeSentence: a holder that released and was killed later was told by its release.
func TestLateNoticeSentence(t *testing.T) {
	v := emptyView(t, timeline.Options{Watched: true})
	v.End = 9e9
	g, r := leased(1, 0, 5e9), &lateNotice{based(v)}
	g.Next, g.RelCall, g.Crash, g.Killed = leased(2, 1e9, 9e9), moment(5e9), moment(7e9), 6e9
	r.report(g)
	check(t, []border{{"the sentence", strings.Contains(r.found.Kept["late-notice"][0].Sentence, "had not learned of its loss when it released the lock at 5.000 s"), true}})
}

// TestLeasesInModel: grants of earlier parts are told the model again, and what a reader does
// is marked as its own.
func TestLeasesInModel(t *testing.T) {
	g := leased(1, 10, 900)
	g.Call = acquire(0, moment(10))
	list, _ := operationsOn(t, timeline.Options{}, &timeline.Lock{Leases: []*timeline.Lease{g}, Judged: 1}, nil, false)
	tr := translation{}
	tr.wait(acquire(0, nil))
	g.Shared, g.Renewals, g.RenewLines = true, []history.Call{{Invoke: moment(20)}, {Invoke: moment(30)}}, []int{1, 2}
	tr.lease(g)
	check(t, []border{{"the grant", len(list), 1}, {"another's acquire", tr.list[0].Shared, false}, {"its last renewal", tr.list[2].Shared, true}})
}
