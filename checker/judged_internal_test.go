package checker

import (
	"strings"
	"testing"
	"time"

	"locktorture/history"
)

// TestOverCapacity: the sentence names the first of the holders, and how many are out.
func TestOverCapacity(t *testing.T) {
	r := &overCapacity{base: based(emptyView(t, Options{}))}
	permits := func(n, granted, end int64) *lease {
		g := leased(n, granted, end)
		g.permits, g.capacity = 2, 3
		return g
	}
	r.report([]*lease{permits(2, 20, 500), permits(1, 10, 900)}, permits(3, 30, 900), 6)
	got := r.found.kept["over-capacity"][0].Sentence
	check(t, []border{
		{"how many are out", strings.Contains(got, "although 4 were still promised, so 6 are out"), true},
		{"the first of them", strings.Contains(got, "the first of them, c1's lease 1 of 2 permits"), true},
	})
}

// TestKindsOfDoubleGrants: two campaigns make two leaders; and permits beside hide no other
// grants.
func TestKindsOfDoubleGrants(t *testing.T) {
	v := emptyView(t, Options{})
	kind := func(a, b bool) string {
		r, one, other := &doubleGrant{base: based(v)}, leased(1, 0, 900), leased(2, 100, 900)
		one.campaign, other.campaign = a, b
		r.report(one, other)
		return sortedKeys(r.found.counts)[0]
	}
	permits, r := leased(1, 0, 900), &doubleGrant{base: based(v)}
	permits.permits = 1
	r.check(ofPiece(permits, leased(2, 10, 900), leased(3, 20, 900)))
	check(t, []border{
		{"campaigns", kind(true, true), "two-leaders"}, {"one campaign", kind(true, false), "double-grant"}, {"the other", kind(false, true), "double-grant"},
		{"after permits", r.found.counts["double-grant"], 1},
	})
}

// TestElectionBorders: terms that were seen twice, terms in sentences, and elections that need
// not be free.
func TestElectionBorders(t *testing.T) {
	seen := func(at int64, term uint64) *observation {
		return &observation{&history.Op{Time: at}, &history.Op{Time: at + 1, Value: "v", Token: term}, 0}
	}
	l := &lockView{name: "L", observations: []*observation{seen(0, 1), seen(5, 1), seen(7, 2)}}
	left := func(within time.Duration, list ...*observation) []Anomaly {
		v := emptyView(t, Options{Kind: electionKind, FreeWithin: within})
		r := &leftover{based(v)}
		w := &wait{inv: &history.Op{Value: "v"}, ret: &history.Op{Type: history.Fail}}
		r.check(&piece{lockView: &lockView{name: "L", observations: list}, calls: []*wait{w}})
		return r.found.kept["orphan"]
	}
	late, other := seen(9e9, 1), seen(9e9, 1)
	other.ret.Time += 5
	check(t, []border{
		{"terms", len(termsSeen(l)), 2}, {"a term", inTerm(seen(0, 3)), " (term 3)"}, {"no term", inTerm(seen(0, 0)), ""},
		{"seen long after", len(left(time.Second, late)), 1}, {"it need not be free", len(left(0, late)), 0},
		{"seen by two at one moment: the first", left(time.Second, late, other)[0].Time, late.ret.Time},
	})
}

// TestLandedLate: an operation under permits, or of a grant of the same moment, is not late.
func TestLandedLate(t *testing.T) {
	access1 := func(apply int64, g *lease) *access {
		return &access{inv: moment(0), ret: &history.Op{Type: history.OK, Apply: apply}, lease: g}
	}
	late := func(list ...*lease) int {
		var applied []*access
		for i, g := range list {
			applied = append(applied, access1(int64(i+1), g))
		}
		return len(newOverrun(base{}).landedLate(applied))
	}
	permits, reader := leased(1, 300, 900), leased(2, 200, 900)
	permits.permits, reader.shared = 1, true
	check(t, []border{
		{"after a newer", late(leased(3, 200, 900), leased(4, 100, 900)), 1},
		{"permits before them", late(permits, leased(3, 200, 900), leased(4, 100, 900)), 1},
		{"a writer after a newer reader", late(reader, leased(4, 199, 900)), 1},
		{"a writer that was granted with the reader", late(reader, leased(4, 200, 900)), 0},
	})
}

// TestOverrunBorders: an operation that returned as another was granted did not land after it.
func TestOverrunBorders(t *testing.T) {
	v := emptyView(t, Options{})
	ran := func(returned int64) (int, int) {
		g := leased(1, 0, 500)
		g.next = leased(2, 600, 900)
		a := &access{inv: &history.Op{F: history.Read, Time: 400}, ret: &history.Op{Type: history.OK, Time: returned}, lease: g}
		judged, reported := newOverrun(based(v)), newOverrun(based(v))
		judged.access(a, true)
		reported.report(a, "")
		return judged.found.counts["overrun"], len(reported.found.kept["overrun"][0].Ops)
	}
	then, shown := ran(600)
	later, shownLater := ran(601)
	check(t, []border{{"then", then, 0}, {"its witness", shown, 4}, {"1 ns later", later, 1}, {"with the next grant", shownLater, 6}})
}

// TestFence: of two grants that returned at one moment with one token the first stays; a
// lesser or equal token before makes way.
func TestFence(t *testing.T) {
	at := func(n, granted int64, token uint64) *access {
		g := leased(n, granted, 900)
		g.token = token
		return &access{lease: g}
	}
	fenced := func(list ...*access) fence {
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
	inner.inner, inner.wait = true, &wait{within: outer}
	v := emptyView(t, Options{Tokens: true})
	changed := func(end int64) int {
		o, g := leased(1, 0, end), leased(1, 100, 900)
		o.token, g.token = 5, 6
		r := &tokenChanged{based(v)}
		r.check(&piece{lockView: &lockView{name: "L"}, calls: []*wait{{inv: moment(90), ret: moment(100), call: 90, end: 100, within: o, lease: g}}})
		return r.found.counts["token-changed"]
	}
	r := &selfDeadlock{base: based(v)}
	v.end = 100e9
	r.reentry("L", &wait{inv: moment(10e9), call: 10e9, end: 20e9, within: leased(1, 0, 90e9)})
	check(t, []border{
		{"a token again at its end", outer.reenters(inner), false}, {"in place at its end", inner.inPlace(), false},
		{"another token then", changed(100), 0}, {"before its end", changed(101), 1},
		{"how long", strings.Contains(r.found.kept["self-deadlock"][0].Sentence, "was not let in for 10 s,"), true},
	})
	outer.gone, outer.end = 101, 101
	check(t, []border{{"a token again before it", outer.reenters(inner), true}, {"in place before it", inner.inPlace(), true}})
}

// TestUnfairSentence: how many were served before, and how much earlier it had called.
func TestUnfairSentence(t *testing.T) {
	v := emptyView(t, Options{})
	r := newUnfair(based(v), v.sound)
	v.sound[1] = sound{process: 1, since: 0}
	p := &wait{client: 1, process: 1, inv: moment(1e9), ret: moment(8e9), call: 1e9, end: 8e9}
	r.passOver(p, leased(2, 3e9, 9e9), 2e9)
	r.passOver(p, leased(3, 4e9, 9e9), 3e9)
	overtaken := r.of(p)
	sentence := func(g *lease) string {
		r.found, p.lease = newFindings(v.judge.book), g
		r.passed[p] = overtaken
		r.ended(&lockView{name: "L"}, p)
		return r.found.kept["unfair"][0].Sentence
	}
	served, not := sentence(leased(1, 8e9, 9e9)), sentence(nil)
	at := &wait{client: 4, process: 4, call: 1e9}
	v.sound[4] = sound{process: 4, since: 1e9}
	r.passOver(at, leased(2, 3e9, 9e9), 2e9)
	check(t, []border{
		{"how many", overtaken.n, 2}, {"how much earlier", strings.Contains(served, ", 2 s earlier, which was granted only at 8.000 s; in all 2 later calls"), true},
		{"never", strings.Contains(not, "which had not been granted when it ended at 8.000 s"), true},
		{"connected since its call", r.excused(at), false},
	})
}

// TestStarvedBorders: fifty chances, and as much patience, are enough.
func TestStarvedBorders(t *testing.T) {
	v := emptyView(t, Options{FreeWithin: time.Second})
	v.clients = map[int]bool{1: true, 2: true}
	starved := func(chances float64, calm int64) []Anomaly {
		r := newStarved(based(v))
		r.last = leased(2, 7, 9)
		w := &wait{lock: &lockView{name: "L"}, inv: moment(0), ret: moment(5), end: 5}
		r.judge(&turn{chances: chances, calm: calm, waited: []*wait{w}})
		return r.found.kept["starved"]
	}
	patience := patienceFor(v.o)
	enough := starved(enoughChances, patience)
	check(t, []border{
		{"just enough", len(enough), 1}, {"too few chances", len(starved(enoughChances-0.1, patience)), 0}, {"too early", len(starved(enoughChances, patience-1)), 0},
		{"the last grant is part of the witness", len(enough[0].Ops), 4},
	})
}

// TestTurns: what is counted of a wait, and from when.
func TestTurns(t *testing.T) {
	v := emptyView(t, Options{FreeWithin: time.Second})
	v.clients = map[int]bool{1: true, 2: true}
	l, r := &lockView{name: "L"}, newStarved(based(v))
	r.calm, r.last = 1000, leased(2, 100, 900)
	w := &wait{lock: l, client: 1, inv: &history.Op{F: history.Acquire, Time: 150}, call: 150, end: 900}
	r.called(l, w)
	c := r.by[1]
	since := c.since.calm
	r.chances, w.ret = 11, &history.Op{Type: history.Fail}
	r.starve(c, w)
	check(t, []border{{"calm when it called", since, int64(1050)}, {"chances: less one grant and its own share", c.chances, 9.5}})
	tried := &wait{client: 1, ret: &history.Op{Type: history.Fail}}
	c.chances, c.calm, c.waited = 2*enoughChances, 100e9, []*wait{w}
	r.ended(l, tried)
	r.ended(l, &wait{client: 3, inv: moment(0)})
	check(t, []border{{"a try that was refused ends no turn", r.found.counts["starved"], 0}})
	r.turns = turns{last: leased(2, 0, 9), by: map[int]*turn{}}
	r.granted(l, &wait{lease: &lease{client: 2, inv: moment(1e9), ret: moment(1e9)}})
	check(t, []border{{"nobody is known to have left", r.chances, 0.0}})
}

// TestFirstApplied: the first number of a store need not be 1.
func TestFirstApplied(t *testing.T) {
	o := emptyView(t, Options{}).judge.stores
	apply := func(n int64) bool {
		a := &access{inv: &history.Op{F: history.Write, Store: history.Plain, Key: "k"}, ret: &history.Op{F: history.Write, Type: history.OK, Apply: n}}
		o.key(a, 0)
		o.apply(applied{a: a})
		return o.gap
	}
	check(t, []border{{"the first", apply(5), false}, {"the next", apply(6), false}, {"one is missing", apply(8), true}})
}
