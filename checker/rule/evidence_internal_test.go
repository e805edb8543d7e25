package rule

import (
	"testing"
	"time"

	"locktorture/history"
	"locktorture/timeline"
)

func TestOverlaps(t *testing.T) {
	of := func(from, to int64) evidence { return evidence{Window: timeline.Window{From: from, To: to}} }
	check(t, []border{
		{"one that touches it before", of(20, 30).overlaps([]evidence{of(10, 20)}), false},
		{"one that touches it after", of(20, 30).overlaps([]evidence{of(30, 40)}), false},
		{"one that ends in it", of(20, 30).overlaps([]evidence{of(10, 21)}), true},
	})
}

// TestHow: what became of the last that asked, when the evidence was complete at 100.
func TestHow(t *testing.T) {
	granted, gaveUp := &history.Op{Type: history.OK}, &history.Op{Type: history.Info}
	how := func(w timeline.Call) string { return evidence{at: 100, last: &w}.how() }
	check(t, []border{
		{"granted then", how(timeline.Call{End: 100, Ret: granted, Lease: &timeline.Lease{}}), "only got"},
		{"granted later", how(timeline.Call{End: 101, Ret: granted, Lease: &timeline.Lease{}}), "was still waiting for"},
		{"timed out", how(timeline.Call{End: 100, Ret: gaveUp}), "timed out waiting for"},
		{"killed", how(timeline.Call{End: 100, Dead: true}), "was killed while it waited for"},
		{"refused", how(timeline.Call{End: 100, Ret: &history.Op{Type: history.Fail}}), "was refused"},
	})
}

// TestShown: of two proofs that were complete at one moment the one that needs less is shown.
func TestShown(t *testing.T) {
	s := &vain{all: evidence{last: &timeline.Call{}, at: 100}, sure: evidence{last: &timeline.Call{}, at: 100}}
	check(t, []border{{"complete at one moment", s.shown(), &s.sure}})
	s.all.at = 99
	check(t, []border{{"all before", s.shown(), &s.all}})
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
	for _, g := range []*timeline.Lease{a, b} {
		p.uses(g)
	}
	for _, g := range []*timeline.Lease{leased(4, 90, 100), leased(5, 10, 100), leased(6, 50, 100), leased(7, 50, 100)} {
		q.uses(g)
	}
	v := emptyView(t, timeline.Options{FreeWithin: time.Second})
	v.ClientOf = map[int]int{1: 1}
	v.Crashes = []*history.Op{{Process: 1, Time: 90}, {Process: 1, Time: 110}}
	killed := v.Death(&timeline.Fault{Op: &history.Op{Client: 1}, From: 100})
	dead := newDeadlock(based(v))
	dead.check(&timeline.Piece{Lock: &timeline.Lock{Name: "L", Leases: []*timeline.Lease{a, b, c}}})
	check(t, []border{
		{"the longest promise", first.of(9), a}, {"the second longest", second.of(4), a},
		{"the latest user of the fence", p.users[0], a}, {"the one before", p.users[1], b},
		{"the second latest", q.users[1].Number, int64(6)}, {"the nearest death", killed, int64(90)}, {"the last holder", dead.lastHolder, a},
	})
}

// TestFalseValidityMoments: what a holder had been told when the server was looked at.
func TestFalseValidityMoments(t *testing.T) {
	v := emptyView(t, timeline.Options{Bounded: true, TTL: 4000})
	v.Run.Probed["L"] = &timeline.Probed{Nodes: map[string]bool{"n1": true}}
	told := func(at int64) bool {
		g := leased(1, 0, 9000)
		g.Answers = []timeline.Answer{{At: at, Min: 5000, Max: 5000, Op: nil}}
		_, ok := (&falseValidity{base: based(v)}).promisedAt(g, moment(1000))
		return ok
	}
	judged := func(end int64) bool {
		g := leased(1, 0, end)
		g.Answers = []timeline.Answer{{At: 0, Min: 5000, Max: 5000, Op: moment(0)}}
		r := &falseValidity{based(v), map[*timeline.Lease]*shortfall{}}
		r.look(g, moment(1000))
		return r.short[g] != nil && r.short[g].told != nil
	}
	r := &falseValidity{base: based(v)}
	r.report(leased(1, 0, 9e9), timeline.Answer{At: 0, Min: 5e9, Max: 5e9, Op: moment(0)}, sight(1e9, "n1", "a", 2e9))
	check(t, []border{
		{"within a quarter of the TTL", told(999), true}, {"at the quarter", told(1000), false},
		{"released as it was looked at", judged(1000), false}, {"released later", judged(1001), true},
		{"the sentence", r.found.Kept["false-validity"][0].Sentence,
			"c1 learned at 0.000 s that lease 1 of L is valid until at least 5.000 s, but the servers end it earlier: a probe at 1.000 s showed that n1 ends it at 2.000 s, 3 s too early"},
	})
}

// TestFirstWord: what comes at the moment of the first word.
func TestFirstWord(t *testing.T) {
	v := emptyView(t, timeline.Options{Bounded: true})
	word := func(change func(*timeline.Lease)) *word {
		g := leased(1, 0, 900)
		g.Answers = []timeline.Answer{{At: 100, Min: 500, Max: 500, Op: moment(100)}}
		change(g)
		return (&voidGrant{based(v)}).firstWord(g)
	}
	over := moment(100)
	check(t, []border{
		{"killed then", word(func(l *timeline.Lease) { l.Crash, l.Killed = moment(200), 100 }) == nil, true},
		{"killed later", word(func(l *timeline.Lease) { l.Crash, l.Killed = moment(200), 101 }) == nil, false},
		{"released then", word(func(l *timeline.Lease) { l.RelCall = moment(100) }) == nil, true},
		{"released later", word(func(l *timeline.Lease) { l.RelCall = moment(101) }) == nil, false},
		{"over then, too: the validity came first", word(func(l *timeline.Lease) { l.Over = over }).end, int64(500)},
	})
	g := leased(1, 100, 900)
	g.Answers = []timeline.Answer{{At: 110, Min: 50, Max: 50, Op: moment(110)}}
	r := &voidGrant{based(v)}
	r.check(ofPiece(g))
	check(t, []border{{"a lock that declares no TTL", r.found.Counts["void-grant"], 0}})
}
