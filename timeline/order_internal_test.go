package timeline

import "testing"

// TestNextGrants: the grant that took a lock, where the answer of an older one came later;
// what was judged is left alone.
func TestNextGrants(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	next := func(judged int, tokens ...uint64) (first, last *Lease, of []*Lease) {
		l := &Lock{Name: "L", Judged: judged}
		for i, token := range tokens {
			g := leased(int64(i+1), int64(100*i), 900)
			g.Token, g.Since = token, 0 // all were called for at once
			l.Leases = append(l.Leases, g)
		}
		l.linkNext(v.Run)
		return l.Leases[0].Next, l.Leases[len(l.Leases)-1].Next, l.Leases
	}
	_, fresh, all := next(1, 5, 3)
	_, old, _ := next(2, 5, 3)
	check(t, []border{{"an older one, answered in the next part", fresh, all[0]}, {"judged", old, (*Lease)(nil)}})
}

// TestNextOfReentry: a re-entry is as old as the grant of its holder; one that was judged is
// left alone.
func TestNextOfReentry(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	next := func(judged int) bool {
		outer, other, inner := leased(1, 0, 900), leased(2, 100, 900), leased(1, 200, 900)
		outer.Token, other.Token, inner.Token = 3, 5, 3
		inner.outer, inner.Since = outer, 0
		(&Lock{Name: "L", Judged: judged, Leases: []*Lease{outer, other, inner}}).linkNext(v.Run)
		return inner.Next == other
	}
	check(t, []border{{"new", next(0), true}, {"the first that is", next(2), true}, {"judged", next(3), false}})
}

// TestSurelyNewer: by tokens if both have one, else when nothing can have kept the answer so
// long.
func TestSurelyNewer(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	takes := v.NoticeTakes(100, 200)
	newer := func(after int64, token, than uint64) bool {
		g, m := leased(2, 100+after, 9e9), leased(1, 100, 9e9)
		g.Token, m.Token, g.Since, m.Since = token, than, 50, 50
		return v.surelyNewer(g, m)
	}
	check(t, []border{
		{"two tokens", newer(1, 5, 3), true}, {"one", newer(1, 5, 0), false}, {"the other", newer(1, 0, 3), false},
		{"as long as may be", newer(takes, 0, 0), false}, {"1 ns longer", newer(takes+1, 0, 0), true},
	})
}
