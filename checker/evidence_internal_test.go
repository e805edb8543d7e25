package checker

import (
	"math"
	"slices"
	"testing"
	"time"

	"locktorture/history"
)

// TestBetween: what faults leave of a time, without pieces of no length.
func TestBetween(t *testing.T) {
	cut1 := func(from, to int64) cut { return cut{window: window{from, to}} }
	for _, tt := range []struct {
		name string
		cuts []cut
		want []window
	}{
		{"one in the middle", []cut{cut1(30, 40)}, []window{{10, 30}, {40, 100}}},
		{"at the beginning", []cut{cut1(10, 40)}, []window{{40, 100}}},
		{"at the end", []cut{cut1(40, 100)}, []window{{10, 40}}},
		{"two that touch", []cut{cut1(40, 50), cut1(30, 40)}, []window{{10, 30}, {50, 100}}},
	} {
		if got := between(tt.cuts, 10, 100); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestOverlaps(t *testing.T) {
	of := func(from, to int64) evidence { return evidence{window: window{from, to}} }
	check(t, []border{
		{"one that touches it before", of(20, 30).overlaps([]evidence{of(10, 20)}), false},
		{"one that touches it after", of(20, 30).overlaps([]evidence{of(30, 40)}), false},
		{"one that ends in it", of(20, 30).overlaps([]evidence{of(10, 21)}), true},
	})
}

// TestHow: what became of the last that asked, when the evidence was complete at 100.
func TestHow(t *testing.T) {
	granted, gaveUp := &history.Op{Type: history.OK}, &history.Op{Type: history.Info}
	how := func(w wait) string { return evidence{at: 100, last: &w}.how() }
	check(t, []border{
		{"granted then", how(wait{end: 100, ret: granted, lease: &lease{}}), "got only then"},
		{"granted later", how(wait{end: 101, ret: granted, lease: &lease{}}), "was still waiting for"},
		{"given up", how(wait{end: 100, ret: gaveUp}), "gave up waiting for"},
		{"killed", how(wait{end: 100, dead: true}), "was killed while it waited for"},
		{"refused", how(wait{end: 100, ret: &history.Op{Type: history.Fail}}), "was refused"},
	})
}

// TestPatient: a free lock is told within toldBy.
func TestPatient(t *testing.T) {
	v := emptyView(t, Options{FreeWithin: 3 * time.Second, Retry: 50 * time.Millisecond})
	patient := func(lasted int64) bool {
		return v.patient(&wait{inv: &history.Op{F: history.Acquire}, end: lasted})
	}
	check(t, []border{{"as long as that", patient(v.o.toldBy()), false}, {"1 ns longer", patient(v.o.toldBy() + 1), true}})
}

// TestShown: of two proofs that were complete at one moment the one that needs less is shown.
func TestShown(t *testing.T) {
	s := &vain{all: evidence{last: &wait{}, at: 100}, sure: evidence{last: &wait{}, at: 100}}
	check(t, []border{{"complete at one moment", s.shown(), &s.sure}})
	s.all.at = 99
	check(t, []border{{"all before", s.shown(), &s.all}})
}

// TestLimit: stalls count so long after a moment, too; and no fault counts that was over
// before or began after.
func TestLimit(t *testing.T) {
	v := emptyView(t, Options{FreeWithin: time.Second})
	v.stalls, v.prepared = []window{{100, 110}}, []window{{0, 10}, {15, 25}, {90, 95}}
	limit := func(after int64) int64 { return v.limit(window{0, 1000}, after)(95) - v.o.freeBy() }
	check(t, []border{
		{"just before the stall", limit(0), int64(0)}, {"with what is after", limit(20), int64(10)}, {"faults", len(v.disturbances(20, 80)), 1},
	})
}

// TestTies: of two that come at one moment the first is named.
func TestTies(t *testing.T) {
	a, b, c := leased(1, 0, 100), leased(2, 0, 100), leased(3, 0, 50)
	var first, second longestPromises
	first.add(a)
	first.add(b)
	second.add(leased(4, 0, 200))
	second.add(a)
	second.add(b)
	var p, q fenceLockout
	for _, g := range []*lease{a, b} {
		p.uses(g)
	}
	for _, g := range []*lease{leased(4, 90, 100), leased(5, 10, 100), leased(6, 50, 100), leased(7, 50, 100)} {
		q.uses(g)
	}
	v := emptyView(t, Options{FreeWithin: time.Second})
	v.clientOf = map[int]int{1: 1}
	v.crashes = []*history.Op{{Process: 1, Time: 90}, {Process: 1, Time: 110}}
	killed := v.death(&span{fault: &history.Op{Client: 1}, from: 100})
	dead := newDeadlock(based(v))
	dead.check(&piece{lockView: &lockView{name: "L", leases: []*lease{a, b, c}}})
	check(t, []border{
		{"the longest promise", first.of(9), a}, {"the second longest", second.of(4), a},
		{"the latest user of the fence", p.users[0], a}, {"the one before", p.users[1], b},
		{"the second latest", q.users[1].n, int64(6)}, {"the nearest death", killed, int64(90)}, {"the last holder", dead.lastHolder, a},
	})
}

// TestPrecision: a server that tells whole seconds shows expiries that are whole seconds away,
// but for 5 ms.
func TestPrecision(t *testing.T) {
	const ms = int64(time.Millisecond)
	whole := func(left int64) int {
		var p precision
		p.add(sight(wholeSecond, "n1", "a", 2*wholeSecond+left))
		return p.whole
	}
	check(t, []border{
		{"5 ms less", whole(-5 * ms), 1}, {"another ns less", whole(-5*ms - 1), 0}, {"5 ms more", whole(5 * ms), 0}, {"1 ns less than that", whole(5*ms - 1), 1},
		{"half of them", precision{seen: 2, whole: 1}.coarse(), true}, {"less than half", precision{seen: 3, whole: 1}.coarse(), false},
	})
}

// TestFalseValidityMoments: what a holder had been told when the server was looked at.
func TestFalseValidityMoments(t *testing.T) {
	v := emptyView(t, Options{Bounded: true, TTL: 4000})
	v.survey.sights["L"] = &sighted{nodes: map[string]bool{"n1": true}}
	told := func(at int64) bool {
		g := leased(1, 0, 9000)
		g.answers = []answer{{at, 5000, 5000, nil}}
		_, ok := (&falseValidity{base: based(v)}).promisedAt(g, moment(1000))
		return ok
	}
	judged := func(end int64) bool {
		g := leased(1, 0, end)
		g.answers = []answer{{0, 5000, 5000, moment(0)}}
		r := &falseValidity{based(v), map[*lease]*shortfall{}}
		r.look(g, moment(1000))
		return r.short[g] != nil && r.short[g].told != nil
	}
	r := &falseValidity{base: based(v)}
	r.report(leased(1, 0, 9e9), answer{0, 5e9, 5e9, moment(0)}, sight(1e9, "n1", "a", 2e9))
	check(t, []border{
		{"within a quarter of the TTL", told(999), true}, {"at the quarter", told(1000), false},
		{"released as it was looked at", judged(1000), false}, {"released later", judged(1001), true},
		{"the sentence", r.found.kept["false-validity"][0].Sentence,
			"c1 was told at 0.000 s that lease 1 of L is valid until at least 5.000 s, but the servers keep it less long: looked at at 1.000 s, n1 ends it at 2.000 s, 3 s too early"},
	})
}

// TestFirstWord: what comes at the moment of the first word.
func TestFirstWord(t *testing.T) {
	v := emptyView(t, Options{Bounded: true})
	word := func(change func(*lease)) *word {
		g := leased(1, 0, 900)
		g.answers = []answer{{100, 500, 500, moment(100)}}
		change(g)
		return (&voidGrant{based(v)}).firstWord(g)
	}
	over := moment(100)
	check(t, []border{
		{"killed then", word(func(l *lease) { l.crash, l.killed = moment(200), 100 }) == nil, true},
		{"killed later", word(func(l *lease) { l.crash, l.killed = moment(200), 101 }) == nil, false},
		{"released then", word(func(l *lease) { l.relCall = moment(100) }) == nil, true},
		{"released later", word(func(l *lease) { l.relCall = moment(101) }) == nil, false},
		{"over then, too: the validity came first", word(func(l *lease) { l.over = over }).end, int64(500)},
	})
	g := leased(1, 100, 900)
	g.answers = []answer{{110, 50, 50, moment(110)}}
	r := &voidGrant{based(v)}
	r.check(ofPiece(g))
	check(t, []border{{"a lock that declares no TTL", r.found.counts["void-grant"], 0}})
}

// TestNotice: a holder that was told as the next grant returned was told in time.
func TestNotice(t *testing.T) {
	v := emptyView(t, Options{Watched: true})
	v.end = math.MaxInt64
	noticed := func(late int64) *lease {
		g := leased(1, 0, 0)
		g.next, g.told = leased(2, 1000, 2000), 1000+late
		v.notice(g)
		return g
	}
	takes := v.noticeTakes(1000, 1000)
	check(t, []border{
		{"told then", noticed(0).end, int64(0)}, {"as late as may be", noticed(takes).lag, int64(0)},
		{"its promise ends with the grant", noticed(takes).end, int64(1000)}, {"1 ns later", noticed(takes + 1).lag, int64(1)},
	})
}
