package rule

import (
	"strings"
	"testing"
	"time"

	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/timeline"
)

// TestMet: a stop or a kill matters to others than who was struck, any other fault to all,
// where they touch.
func TestMet(t *testing.T) {
	met := func(e history.Effect, client int, from, to int64) bool {
		v := emptyView(t, timeline.Options{})
		v.Faults = []*timeline.Fault{{Op: &history.Op{Client: 1}, Traits: history.FaultTraits{Effect: e}, From: 100, To: 200}}
		m := meetings{v.Run, map[int]bool{}}
		m.met(client, from, to)
		return m.bit[0]
	}
	check(t, []border{
		{"it waited until the fault", met("", 1, 50, 100), true}, {"it ended 1 ns before", met("", 1, 50, 99), false},
		{"it waited since the heal", met("", 1, 200, 300), true}, {"1 ns later", met("", 1, 201, 300), false},
		{"another was stopped", met(history.Stopped, 2, 50, 100), true}, {"it was stopped itself", met(history.Stopped, 1, 50, 100), false},
		{"stopped after it", met(history.Stopped, 2, 201, 300), false},
		{"another was killed before", met(history.Killed, 2, 201, 300), true}, {"it was killed itself", met(history.Killed, 1, 50, 300), false},
		{"another was killed as it ended", met(history.Killed, 2, 50, 100), true}, {"another was killed after it", met(history.Killed, 2, 50, 99), false},
	})
}

// TestParties: what a stay at a barrier is to the model, and that each has a process of its
// own.
func TestParties(t *testing.T) {
	v := emptyView(t, timeline.Options{Kind: timeline.BarrierKind})
	stay := func(change func(*timeline.Lease)) []linear.Operation {
		g := leased(1, 10, history.Never)
		change(g)
		list, _ := (&nonlinearizable{base: based(v)}).partyOperations(&timeline.Lock{Leases: []*timeline.Lease{g}}, nil)
		return list
	}
	second := func(change func(*timeline.Lease)) linear.F {
		if list := stay(change); len(list) > 1 {
			return list[1].F
		}
		return linear.Enter
	}
	left := func(end int64, answer history.Type) func(*timeline.Lease) {
		return func(g *timeline.Lease) {
			g.End, g.RelCall, g.RelRet = end, moment(50), &history.Op{Time: 60, Type: answer}
		}
	}
	unsent := acquire(0, &history.Op{Type: history.Fail, Refused: history.ByClient})
	granted := acquire(0, nil)
	granted.Lease = leased(9, 0, 9)
	list, _ := (&nonlinearizable{base: based(v)}).partyOperations(&timeline.Lock{Leases: []*timeline.Lease{leased(1, 10, history.Never), leased(2, 11, history.Never)}},
		[]*timeline.Call{acquire(0, nil), unsent, granted, acquire(1, nil)})
	processes := map[int]bool{}
	for _, o := range list {
		if o.Process >= 0 {
			processes[o.Process] = true
		}
	}
	check(t, []border{
		{"it stays", second(func(*timeline.Lease) {}), linear.Enter}, {"it left", second(left(50, history.OK)), linear.Leave},
		{"it may have been over before", second(left(49, history.OK)), linear.End}, {"nothing was there to leave", second(left(50, history.Fail)), linear.End},
		{"not answered", second(func(g *timeline.Lease) { g.End, g.RelCall = 50, moment(50) }), linear.Leave},
		{"its session was over", stay(func(g *timeline.Lease) { g.End = 40 })[1].Call, int64(40)}, {"before its answer", stay(func(g *timeline.Lease) { g.End = 5 })[1].Call, int64(10)},
		{"operations", len(list), 4}, {"processes", len(processes), 4},
	})
}

// TestStays: of a session that a fault may have ended nothing is certain, from one TTL before
// the grant.
func TestStays(t *testing.T) {
	stays := func(o timeline.Options, fault timeline.Window) int64 {
		v := emptyView(t, o)
		v.End, v.Prepared = 1000, []timeline.Window{fault}
		return stays(v.Run, leased(1, 500, 800))
	}
	session := timeline.Options{Watched: true, TTL: 100}
	check(t, []border{
		{"a fault less than a TTL before", stays(session, timeline.Window{From: 390, To: 401}), int64(unsure)}, {"a TTL before", stays(session, timeline.Window{From: 390, To: 400}), int64(800)},
		{"no session", stays(timeline.Options{TTL: 100}, timeline.Window{From: 390, To: 600}), int64(800)},
	})
}

// TestStandstillSentence: how many wanted to enter and to leave, and for how long.
func TestStandstillSentence(t *testing.T) {
	v := emptyView(t, timeline.Options{FreeWithin: time.Second})
	r := &standstill{based(v)}
	enter, again, leave := &history.Op{F: history.Acquire}, &history.Op{F: history.Acquire, Time: 1}, &history.Op{F: history.Release}
	r.report(&timeline.Lock{Name: "B"}, 5e9, 9e9, map[*history.Op]bool{enter: true, again: true, leave: true})
	got := r.found.Kept["never-open"][0].Sentence
	check(t, []border{{"the sentence", strings.HasPrefix(got,
		"from 5.000 s to 9.000 s, 2 of the clients waited to enter B and 1 waited to leave it. Nobody was inside, and nobody made progress. This lasted 4 s without a fault: longer"), true}})
}

// TestBarrierTurns: what begins and ends at a barrier. A call that nobody answered ends only
// with its client.
func TestBarrierTurns(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	v.End = 1000
	waits := func(w *timeline.Call) int {
		return len((&standstill{based(v)}).barrierTurns(&timeline.Lock{Kept: []*timeline.Call{w}}))
	}
	stays := func(change func(*timeline.Lease)) int {
		g := leased(1, 10, 900)
		change(g)
		return len((&standstill{based(v)}).barrierTurns(&timeline.Lock{Leases: []*timeline.Lease{g}}))
	}
	leaves := func(gone int64, ret, crash *history.Op) func(*timeline.Lease) {
		return func(g *timeline.Lease) { g.RelCall, g.RelRet, g.Crash, g.Gone = moment(50), ret, crash, gone }
	}
	in := func(end int64, ret *history.Op) *timeline.Call {
		return &timeline.Call{Inv: moment(0), Ret: ret, End: end}
	}
	unsent := in(5, &history.Op{Refused: history.ByClient})
	check(t, []border{
		{"answered", waits(in(500, moment(500))), 2}, {"answered at the end", waits(in(1000, moment(1000))), 2}, {"not answered", waits(in(1000, nil)), 1},
		{"its client died", waits(&timeline.Call{Inv: moment(0), End: 500, Dead: true}), 2}, {"nobody knows its outcome", waits(in(500, nil)), 3}, {"never sent", waits(unsent), 0},
		{"and one after it", len((&standstill{based(v)}).barrierTurns(&timeline.Lock{Kept: []*timeline.Call{unsent, in(1000, nil)}})), 1},
		{"inside", stays(func(*timeline.Lease) {}), 1}, {"left", stays(leaves(60, moment(60), nil)), 4}, {"left at the end", stays(leaves(1000, moment(1000), nil)), 4},
		{"still leaving", stays(leaves(history.Never, nil, nil)), 3}, {"killed while it left", stays(leaves(60, nil, moment(60))), 4},
		{"killed inside, and one after it", len((&standstill{based(v)}).barrierTurns(&timeline.Lock{Leases: []*timeline.Lease{{Ret: moment(1), Crash: moment(2)}, leased(2, 3, 9)}})), 3},
	})
}
