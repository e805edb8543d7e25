package checker

import (
	"testing"

	"locktorture/history"
)

func sight(at int64, node, owner string, until int64) *history.Op {
	return &history.Op{F: history.Probe, Time: at, Node: node, Value: owner, UntilMax: until}
}

// TestAgreed: most of the nodes, and those that were looked at of late.
func TestAgreed(t *testing.T) {
	const now = 10 * staleSight
	type all = map[string]*history.Op
	says := func(nodes int, latest all) string { owner, _ := agreed(latest, nodes, now); return owner }
	until := func(latest all) int64 { _, at := agreed(latest, 1, now); return at }
	fresh, old := sight(now, "n1", "a", 5000), sight(now-staleSight, "n2", "a", 3000)
	stale := sight(now-staleSight-1, "n2", "a", 3000)
	check(t, []border{
		{"one of one", says(1, all{"n1": fresh}), "a"},
		{"one of two", says(2, all{"n1": fresh}), ""},
		{"two of three, one just not stale", says(3, all{"n1": fresh, "n2": old}), "a"},
		{"two of three, one stale", says(3, all{"n1": fresh, "n2": stale}), ""},
		{"another says otherwise", says(3, all{"n1": fresh, "n2": sight(now, "n2", "b", 1), "n3": sight(now, "n3", "a", 1)}), ""},
		{"the least expiry", until(all{"n1": fresh, "n2": old}), int64(3000)},
		{"that of a stale one does not count", until(all{"n1": fresh, "n2": stale}), int64(5000)},
	})
}

// TestOwnerAt: a lease that was called for at the moment of the look may be the one.
func TestOwnerAt(t *testing.T) {
	v, l, g := emptyView(t, Options{}), &lockView{name: "L"}, leased(1, 100, 900)
	l.sights.owners = map[string][]*lease{"a": {g}}
	at := func(t int64) *lease { found, _ := v.ownerAt(l, "a", t); return found }
	check(t, []border{{"at its call", at(100), g}, {"1 ns before", at(99), (*lease)(nil)}})
}

// TestAsking: after which leases a client has not called for the lock again.
func TestAsking(t *testing.T) {
	v, g := emptyView(t, Options{}), leased(1, 100, 900)
	g.asked, g.owner = history.Never, "a"
	var s sights
	s.init()
	s.granted(v.survey, g)
	check(t, []border{{"in a name that nobody saw", len(s.owners) + len(s.asking), 0}})
	v.owners[ownerKey{"L", "a"}] = ownerSeen{grants: 1}
	s.granted(v.survey, g)
	again := func(call int64) int {
		s.called(&wait{client: 1, call: call, inv: moment(call)})
		return len(s.asking[1])
	}
	check(t, []border{{"called for at one moment", again(100), 1}, {"called for later", again(101), 0}})
}

// TestSettled: a tenure that was over by the moment up to which all is known may be judged,
// not one that ended with it.
func TestSettled(t *testing.T) {
	settled := func(before int64) int {
		s := sights{over: []*tenure{{after: 100}}}
		return len(s.settled(before, false))
	}
	check(t, []border{{"over before", settled(101), 1}, {"over then", settled(100), 0}})
}

// TestSightsBetween: neither the moment of the end nor that of the next call proves anything.
func TestSightsBetween(t *testing.T) {
	ten := &tenure{sights: []*history.Op{moment(100), moment(150), moment(200)}}
	first, last := sightsBetween(ten, 99, 201)
	inner, innermost := sightsBetween(ten, 100, 200)
	check(t, []border{
		{"first", first.Time, int64(100)}, {"last", last.Time, int64(200)},
		{"first without the borders", inner.Time, int64(150)}, {"last without them", innermost.Time, int64(150)},
	})
}

// TestOrigin: who was seen at 1000, called p3 there.
func TestOrigin(t *testing.T) {
	v := emptyView(t, Options{})
	called := func(at int64) bool {
		w := &wait{process: 3, client: -4, call: at, inv: moment(at)}
		last, _ := (&orphan{based(v)}).origin(&lockView{}, &tenure{owner: "p3:1", from: 1000, calls: [3]*wait{w}})
		return last != nil
	}
	check(t, []border{{"called before", called(999), true}, {"called as it was seen", called(1000), false}})
}

// TestSameLife: a process that was killed later made its calls before.
func TestSameLife(t *testing.T) {
	killed := func(process int) bool {
		v := emptyView(t, Options{})
		v.clientOf = map[int]int{3: 1, 4: 1, 5: 1}
		v.crashes = []*history.Op{{Process: process, Client: 1}}
		return v.sameLife(1, 3, 5)
	}
	check(t, []border{{"the first", killed(3), false}, {"one between", killed(4), false}, {"the last", killed(5), true}})
}

// TestLandedAfter: seen without the owner after the client gave up at 0, and before the owner
// was there at 1 s.
func TestLandedAfter(t *testing.T) {
	seen := func(at int64) bool {
		l := &lockView{sights: sights{probes: []*history.Op{sight(at, "n1", "b", 0)}}}
		return landedAfter(l, &tenure{owner: "a", from: 1e9}, 0)
	}
	check(t, []border{
		{"as soon as a look takes", seen(probeTakes), false}, {"1 ns later", seen(probeTakes + 1), true},
		{"1 ns before the owner was there", seen(1e9 - 1), true}, {"with it", seen(1e9), false},
	})
}

// TestOrphanExpiry: the sentence says until when, where the server does.
func TestOrphanExpiry(t *testing.T) {
	v := emptyView(t, Options{})
	sentence := func(until int64) string {
		l, r := &lockView{name: "L"}, &orphan{based(v)}
		r.report(l, &history.Op{Time: 1e9, Process: 1}, "released it", sight(2e9, "n1", "a", until), sight(3e9, "n1", "a", until))
		return r.found.kept["orphan"][0].Sentence
	}
	const from, to = "L was taken on n1 in the name of process 1 (a) from 2.000 s to 3.000 s at least", ", although that client released it at 1.000 s"
	check(t, []border{
		{"an expiry", sentence(4e9), from + ", until 4.000 s if nobody renews it" + to},
		{"no expiry", sentence(0), from + to},
		{"without end", sentence(history.Never), from + to},
	})
}

// TestLooks: a look is judged when all is known that was before it, and one that came with the
// release shows nothing.
func TestLooks(t *testing.T) {
	v := emptyView(t, Options{})
	l := &lockView{name: "L", sights: sights{probes: []*history.Op{sight(100, "n1", "", 0)}}}
	l.sights.init()
	v.newLooks(l, 100)
	check(t, []border{{"at the moment up to which all is known", l.sights.looked, 0}})
	v.newLooks(l, 101)
	check(t, []border{{"before it", l.sights.looked, 1}})
	g, r := leased(1, 0, 900), newImmortal(based(v))
	g.relRet = &history.Op{Time: 100, Type: history.OK}
	r.look(g, sight(100, "n1", "a", 500))
	check(t, []border{{"as the release was answered", len(r.moves), 0}})
	one, two := sight(101, "n1", "a", 500), sight(102, "n1", "a", 500)
	r.look(g, one)
	r.look(g, two)
	check(t, []border{{"of two looks that show the same the first", r.moves[[2]string{"n1", "a"}].least, one}})
}
