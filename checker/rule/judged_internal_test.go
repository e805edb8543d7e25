package rule

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// TestOverCapacity: the sentence names the first of the holders, and how many are out.
func TestOverCapacity(t *testing.T) {
	r := &overCapacity{base: based(emptyView(t, timeline.Options{}))}
	permits := func(n, granted, end int64) *timeline.Lease {
		g := leased(n, granted, end)
		g.Permits, g.Capacity = 2, 3
		return g
	}
	r.report([]*timeline.Lease{permits(2, 20, 500), permits(1, 10, 900)}, permits(3, 30, 900), 6)
	got := r.found.Kept["over-capacity"][0].Sentence
	check(t, []border{
		{"how many are out", strings.Contains(got, "although 4 permits were still promised, so 6 were promised at one moment"), true},
		{"the first of them", strings.Contains(got, "The oldest promise, c1's lease 1 of 2 permits"), true},
	})
}

// TestKindsOfDoubleGrants: two campaigns make two leaders; and permits beside hide no other
// grants.
func TestKindsOfDoubleGrants(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	kind := func(a, b bool) string {
		r, one, other := &doubleGrant{base: based(v)}, leased(1, 0, 900), leased(2, 100, 900)
		one.Campaign, other.Campaign = a, b
		r.report(one, other)
		return slices.Sorted(maps.Keys(r.found.Counts))[0]
	}
	permits, r := leased(1, 0, 900), &doubleGrant{base: based(v)}
	permits.Permits = 1
	r.check(ofPiece(permits, leased(2, 10, 900), leased(3, 20, 900)))
	check(t, []border{
		{"campaigns", kind(true, true), "two-leaders"}, {"one campaign", kind(true, false), "double-grant"}, {"the other", kind(false, true), "double-grant"},
		{"after permits", r.found.Counts["double-grant"], 1},
	})
}

// TestElectionBorders: terms that were seen twice, terms in sentences, and elections that need
// not be free.
func TestElectionBorders(t *testing.T) {
	seen := func(at int64, term uint64) *timeline.Observation {
		return &timeline.Observation{Inv: &history.Op{Time: at}, Ret: &history.Op{Time: at + 1, Value: "v", Token: term}, Line: 0}
	}
	l := &timeline.Lock{Name: "L", Observations: []*timeline.Observation{seen(0, 1), seen(5, 1), seen(7, 2)}}
	left := func(within time.Duration, list ...*timeline.Observation) []incident.Anomaly {
		v := emptyView(t, timeline.Options{Kind: timeline.ElectionKind, FreeWithin: within})
		r := &leftover{based(v)}
		w := &timeline.Call{Inv: &history.Op{Value: "v"}, Ret: &history.Op{Type: history.Fail}}
		r.check(&timeline.Piece{Lock: &timeline.Lock{Name: "L", Observations: list}, Calls: []*timeline.Call{w}})
		return r.found.Kept["orphan"]
	}
	late, other := seen(9e9, 1), seen(9e9, 1)
	other.Ret.Time += 5
	check(t, []border{
		{"terms", len(termsSeen(l)), 2}, {"a term", inTerm(seen(0, 3)), " (term 3)"}, {"no term", inTerm(seen(0, 0)), ""},
		{"seen long after", len(left(time.Second, late)), 1}, {"it need not be free", len(left(0, late)), 0},
		{"seen by two at one moment: the first", left(time.Second, late, other)[0].Time, late.Ret.Time},
	})
}

// TestLandedLate: an operation under permits, or of a grant of the same moment, is not late.
func TestLandedLate(t *testing.T) {
	access1 := func(apply int64, g *timeline.Lease) *timeline.Access {
		return &timeline.Access{Inv: moment(0), Ret: &history.Op{Type: history.OK, Apply: apply}, Lease: g}
	}
	late := func(list ...*timeline.Lease) int {
		var applied []*timeline.Access
		for i, g := range list {
			applied = append(applied, access1(int64(i+1), g))
		}
		return len(newOverrun(base{}).landedLate(applied))
	}
	permits, reader := leased(1, 300, 900), leased(2, 200, 900)
	permits.Permits, reader.Shared = 1, true
	check(t, []border{
		{"after a newer", late(leased(3, 200, 900), leased(4, 100, 900)), 1},
		{"permits before them", late(permits, leased(3, 200, 900), leased(4, 100, 900)), 1},
		{"a writer after a newer reader", late(reader, leased(4, 199, 900)), 1},
		{"a writer that was granted with the reader", late(reader, leased(4, 200, 900)), 0},
	})
}

// TestOverrunBorders: an operation that returned as another was granted did not land after it.
func TestOverrunBorders(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	ran := func(returned int64) (int, int) {
		g := leased(1, 0, 500)
		g.Next = leased(2, 600, 900)
		a := &timeline.Access{Inv: &history.Op{F: history.Read, Time: 400}, Ret: &history.Op{Type: history.OK, Time: returned}, Lease: g}
		judged, reported := newOverrun(based(v)), newOverrun(based(v))
		judged.access(a, true)
		reported.report(a, "")
		return judged.found.Counts["overrun"], len(reported.found.Kept["overrun"][0].Ops)
	}
	then, shown := ran(600)
	later, shownLater := ran(601)
	check(t, []border{{"then", then, 0}, {"its witness", shown, 4}, {"1 ns later", later, 1}, {"with the next grant", shownLater, 6}})
}

// TestFence: of two grants that returned at one moment with one token the first stays; a
// lesser or equal token before makes way.
func TestFence(t *testing.T) {
	at := func(n, granted int64, token uint64) *timeline.Access {
		g := leased(n, granted, 900)
		g.Token = token
		return &timeline.Access{Lease: g}
	}
	fenced := func(list ...*timeline.Access) fence {
		var f fence
		for _, a := range list {
			f.add(a)
		}
		return f
	}
	first, second := at(1, 100, 5), at(2, 100, 5)
	earlier, later := at(3, 50, 7), at(4, 60, 7)
	both, one := fenced(first, second), fenced(earlier, later)
	check(t, []border{
		{"at one moment", len(both), 1}, {"the first", both[0], first},
		{"one after the other", len(one), 1}, {"the later", one[0], later}, {"a lesser token later", len(fenced(earlier, first)), 2},
	})
}

// TestReentryBorders: a lease is over at its end, for a re-entry too.
func TestReentryBorders(t *testing.T) {
	outer, inner := leased(1, 0, 100), leased(1, 100, 900)
	inner.Inner, inner.Call = true, &timeline.Call{Within: outer}
	v := emptyView(t, timeline.Options{Tokens: true})
	changed := func(end int64) int {
		o, g := leased(1, 0, end), leased(1, 100, 900)
		o.Token, g.Token = 5, 6
		r := &tokenChanged{based(v)}
		r.check(&timeline.Piece{Lock: &timeline.Lock{Name: "L"}, Calls: []*timeline.Call{{Inv: moment(90), Ret: moment(100), Called: 90, End: 100, Within: o, Lease: g}}})
		return r.found.Counts["token-changed"]
	}
	r := &selfDeadlock{base: based(v)}
	v.End = 100e9
	r.reentry("L", &timeline.Call{Inv: moment(10e9), Called: 10e9, End: 20e9, Within: leased(1, 0, 90e9)})
	check(t, []border{
		{"a token again at its end", outer.Reenters(inner), false}, {"in place at its end", inner.InPlace(), false},
		{"another token then", changed(100), 0}, {"before its end", changed(101), 1},
		{"how long", strings.Contains(r.found.Kept["self-deadlock"][0].Sentence, "was not let in for 10 s,"), true},
	})
	outer.Gone, outer.End = 101, 101
	check(t, []border{{"a token again before it", outer.Reenters(inner), true}, {"in place before it", inner.InPlace(), true}})
}

// TestUnfairSentence: how many were served before, and how much earlier it had called.
func TestUnfairSentence(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	r := newUnfair(based(v))
	v.sound[1] = timeline.Sound{Process: 1, Since: 0}
	p := &timeline.Call{Client: 1, Process: 1, Inv: moment(1e9), Ret: moment(8e9), Called: 1e9, End: 8e9}
	r.passOver(p, leased(2, 3e9, 9e9), 2e9)
	r.passOver(p, leased(3, 4e9, 9e9), 3e9)
	overtaken := r.of(p)
	sentence := func(g *timeline.Lease) string {
		r.found, p.Lease = incident.NewFindings(v.on.Book), g
		r.passed[p] = overtaken
		r.Ended(&timeline.Lock{Name: "L"}, p)
		return r.found.Kept["unfair"][0].Sentence
	}
	served, not := sentence(leased(1, 8e9, 9e9)), sentence(nil)
	at := &timeline.Call{Client: 4, Process: 4, Called: 1e9}
	v.sound[4] = timeline.Sound{Process: 4, Since: 1e9}
	r.passOver(at, leased(2, 3e9, 9e9), 2e9)
	check(t, []border{
		{"how many", overtaken.n, 2}, {"how much earlier", strings.Contains(served, ", 2 s earlier, but was granted it only at 8.000 s. In all, 2 later calls"), true},
		{"never", strings.Contains(not, "but its call ended without a grant at 8.000 s"), true},
		{"connected since its call", r.excused(at), false},
	})
}

// TestStarvedBorders: fifty chances, and as much patience, are enough.
func TestStarvedBorders(t *testing.T) {
	v := emptyView(t, timeline.Options{FreeWithin: time.Second})
	v.Clients = map[int]bool{1: true, 2: true}
	starved := func(chances float64, calm int64) []incident.Anomaly {
		r := newStarved(based(v))
		r.last = leased(2, 7, 9)
		w := &timeline.Call{Lock: &timeline.Lock{Name: "L"}, Inv: moment(0), Ret: moment(5), End: 5}
		r.judge(&turn{chances: chances, calm: calm, waited: []*timeline.Call{w}})
		return r.found.Kept["starved"]
	}
	patience := patienceFor(v.Options)
	enough := starved(enoughChances, patience)
	check(t, []border{
		{"just enough", len(enough), 1}, {"too few chances", len(starved(enoughChances-0.1, patience)), 0}, {"too early", len(starved(enoughChances, patience-1)), 0},
		{"the last grant is part of the witness", len(enough[0].Ops), 4},
	})
}

// TestTurns: what is counted of a wait, and from when.
func TestTurns(t *testing.T) {
	v := emptyView(t, timeline.Options{FreeWithin: time.Second})
	v.Clients = map[int]bool{1: true, 2: true}
	l, r := &timeline.Lock{Name: "L"}, newStarved(based(v))
	r.calm, r.last = 1000, leased(2, 100, 900)
	w := &timeline.Call{Lock: l, Client: 1, Inv: &history.Op{F: history.Acquire, Time: 150}, Called: 150, End: 900}
	r.Called(l, w)
	c := r.by[1]
	since := c.since.calm
	r.chances, w.Ret = 11, &history.Op{Type: history.Fail}
	r.starve(c, w)
	check(t, []border{{"calm when it called", since, int64(1050)}, {"chances: less one grant and its own share", c.chances, 9.5}})
	tried := &timeline.Call{Client: 1, Ret: &history.Op{Type: history.Fail}}
	c.chances, c.calm, c.waited = 2*enoughChances, 100e9, []*timeline.Call{w}
	r.Ended(l, tried)
	r.Ended(l, &timeline.Call{Client: 3, Inv: moment(0)})
	check(t, []border{{"a try that was refused ends no turn", r.found.Counts["starved"], 0}})
	r.turns = turns{last: leased(2, 0, 9), by: map[int]*turn{}}
	r.Granted(l, &timeline.Call{Lease: &timeline.Lease{Client: 2, Inv: moment(1e9), Ret: moment(1e9)}})
	check(t, []border{{"nobody is known to have left", r.chances, 0.0}})
}
