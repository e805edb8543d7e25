package rule

import (
	"testing"

	"locktorture/history"
	"locktorture/timeline"
)

func sight(at int64, node, owner string, until int64) *history.Op {
	return &history.Op{F: history.Probe, Time: at, Node: node, Value: owner, UntilMax: until}
}

// TestSightsBetween: neither the moment of the end nor that of the next call proves anything.
func TestSightsBetween(t *testing.T) {
	ten := &timeline.Tenure{Sights: []*history.Op{moment(100), moment(150), moment(200)}}
	first, last := sightsBetween(ten, 99, 201)
	inner, innermost := sightsBetween(ten, 100, 200)
	check(t, []border{
		{"first", first.Time, int64(100)}, {"last", last.Time, int64(200)},
		{"first without the borders", inner.Time, int64(150)}, {"last without them", innermost.Time, int64(150)},
	})
}

// TestOrigin: who was seen at 1000, called p3 there.
func TestOrigin(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	called := func(at int64) bool {
		w := &timeline.Call{Process: 3, Client: -4, Called: at, Inv: moment(at)}
		last, _ := newOrphan(based(v)).origin(&timeline.Lock{}, &timeline.Tenure{Owner: "p3:1", From: 1000, Calls: [3]*timeline.Call{w}})
		return last != nil
	}
	check(t, []border{{"called before", called(999), true}, {"called as it was seen", called(1000), false}})
}

// TestLandedAfter: seen without the owner after the client gave up at 0, and before the owner
// was there at 1 s.
func TestLandedAfter(t *testing.T) {
	seen := func(at int64) bool {
		l := &timeline.Lock{Sights: timeline.Sights{Probes: []*history.Op{sight(at, "n1", "b", 0)}}}
		return landedAfter(l, &timeline.Tenure{Owner: "a", From: 1e9}, 0)
	}
	check(t, []border{
		{"as soon as a look takes", seen(timeline.ProbeTakes), false}, {"1 ns later", seen(timeline.ProbeTakes + 1), true},
		{"1 ns before the owner was there", seen(1e9 - 1), true}, {"with it", seen(1e9), false},
	})
}

// TestOrphanExpiry: the sentence says until when, where the server does.
func TestOrphanExpiry(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	sentence := func(until int64) string {
		l, r := &timeline.Lock{Name: "L"}, newOrphan(based(v))
		r.report(l, &history.Op{Time: 1e9, Process: 1}, "released it", sight(2e9, "n1", "a", until), sight(3e9, "n1", "a", until))
		return r.found.Kept["orphan"][0].Sentence
	}
	const from, to = "n1 kept L in the name of process 1 (a) from 2.000 s to at least 3.000 s", ", although at 1.000 s this client released it"
	check(t, []border{
		{"an expiry", sentence(4e9), from + ", and keeps it until 4.000 s if nobody renews it" + to},
		{"no expiry", sentence(0), from + to},
		{"without end", sentence(history.Never), from + to},
	})
}

// TestLooks: a look is judged when all is known that was before it, and one that came with the
// release shows nothing.
func TestLooks(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	l := &timeline.Lock{Name: "L", Sights: timeline.Sights{Probes: []*history.Op{sight(100, "n1", "", 0)}}}
	l.Sights.Init()
	v.NewLooks(l, 100)
	check(t, []border{{"at the moment up to which all is known", l.Sights.Looked, 0}})
	v.NewLooks(l, 101)
	check(t, []border{{"before it", l.Sights.Looked, 1}})
	g, r := leased(1, 0, 900), newImmortal(based(v))
	g.RelRet = &history.Op{Time: 100, Type: history.OK}
	r.look(g, sight(100, "n1", "a", 500))
	check(t, []border{{"as the release was answered", len(r.moves), 0}})
	one, two := sight(101, "n1", "a", 500), sight(102, "n1", "a", 500)
	r.look(g, one)
	r.look(g, two)
	check(t, []border{{"of two looks that show the same the first", r.moves[[2]string{"n1", "a"}].least, one}})
}
