package checker

import "testing"

// TestNextGrants: the grant that took a lock, where the answer of an older one came later;
// what was judged is left alone.
func TestNextGrants(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	next := func(judged int, tokens ...uint64) (first, last *lease, of []*lease) {
		l := &lockView{name: "L", judged: judged}
		for i, token := range tokens {
			g := leased(int64(i+1), int64(100*i), 900)
			g.token, g.since = token, 0 // all were called for at once
			l.leases = append(l.leases, g)
		}
		l.linkNext(v.survey)
		return l.leases[0].next, l.leases[len(l.leases)-1].next, l.leases
	}
	_, fresh, all := next(1, 5, 3)
	_, old, _ := next(2, 5, 3)
	check(t, []border{{"an older one, answered in the next part", fresh, all[0]}, {"judged", old, (*lease)(nil)}})
}

// TestNextOfReentry: a re-entry is as old as the grant of its holder; one that was judged is
// left alone.
func TestNextOfReentry(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	next := func(judged int) bool {
		outer, other, inner := leased(1, 0, 900), leased(2, 100, 900), leased(1, 200, 900)
		outer.token, other.token, inner.token = 3, 5, 3
		inner.outer, inner.since = outer, 0
		(&lockView{name: "L", judged: judged, leases: []*lease{outer, other, inner}}).linkNext(v.survey)
		return inner.next == other
	}
	check(t, []border{{"new", next(0), true}, {"the first that is", next(2), true}, {"judged", next(3), false}})
}

// TestSurelyNewer: by tokens if both have one, else when nothing can have kept the answer so
// long.
func TestSurelyNewer(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	takes := v.noticeTakes(100, 200)
	newer := func(after int64, token, than uint64) bool {
		g, m := leased(2, 100+after, 9e9), leased(1, 100, 9e9)
		g.token, m.token, g.since, m.since = token, than, 50, 50
		return v.surelyNewer(g, m)
	}
	check(t, []border{
		{"two tokens", newer(1, 5, 3), true}, {"one", newer(1, 5, 0), false}, {"the other", newer(1, 0, 3), false},
		{"as long as may be", newer(takes, 0, 0), false}, {"1 ns longer", newer(takes+1, 0, 0), true},
	})
}
