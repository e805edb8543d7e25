package timeline

import (
	"testing"

	"locktorture/history"
)

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
	v, l, g := emptyFold(t, Options{}), &Lock{Name: "L"}, leased(1, 100, 900)
	l.Sights.owners = map[string][]*Lease{"a": {g}}
	at := func(t int64) *Lease { found, _ := v.OwnerAt(l, "a", t); return found }
	check(t, []border{{"at its call", at(100), g}, {"1 ns before", at(99), (*Lease)(nil)}})
}

// TestAsking: after which leases a client has not called for the lock again.
func TestAsking(t *testing.T) {
	v, g := emptyFold(t, Options{}), leased(1, 100, 900)
	g.asked, g.Owner = history.Never, "a"
	var s Sights
	s.Init()
	s.granted(v.Run, g)
	check(t, []border{{"in a name that nobody saw", len(s.owners) + len(s.asking), 0}})
	v.Owners[OwnerKey{"L", "a"}] = OwnerSeen{Grants: 1}
	s.granted(v.Run, g)
	again := func(call int64) int {
		s.called(&Call{Client: 1, Called: call, Inv: moment(call)})
		return len(s.asking[1])
	}
	check(t, []border{{"called for at one moment", again(100), 1}, {"called for later", again(101), 0}})
}

// TestSettled: a tenure that was over by the moment up to which all is known may be judged,
// not one that ended with it.
func TestSettled(t *testing.T) {
	settled := func(before int64) int {
		s := Sights{Over: []*Tenure{{After: 100}}}
		return len(s.settled(before, false))
	}
	check(t, []border{{"over before", settled(101), 1}, {"over then", settled(100), 0}})
}

// TestSameLife: a process that was killed later made its calls before.
func TestSameLife(t *testing.T) {
	killed := func(process int) bool {
		v := emptyFold(t, Options{})
		v.ClientOf = map[int]int{3: 1, 4: 1, 5: 1}
		v.Crashes = []*history.Op{{Process: process, Client: 1}}
		return v.SameLife(1, 3, 5)
	}
	check(t, []border{{"the first", killed(3), false}, {"one between", killed(4), false}, {"the last", killed(5), true}})
}
