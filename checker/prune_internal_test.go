package checker

import (
	"slices"
	"testing"
)

// pruned are the calls of the endings that are kept, of those that were called for and
// answered at some moments.
func pruned(t *testing.T, s sights, before int64, list ...[2]int64) []int64 {
	r := &foreignRelease{}
	for _, e := range list {
		r.endings = append(r.endings, release(nil, e[0], e[1]))
	}
	r.prune(s.horizon(before))
	var calls []int64
	for _, e := range r.endings {
		calls = append(calls, e.inv.Time)
	}
	return calls
}

// TestPruneEndings: what is kept of endings is what a tenure may need that is not judged yet:
// those that were under way or came later, the last that was called before it, and the last of
// all.
func TestPruneEndings(t *testing.T) {
	now := func(from, last int64) sights { return sights{now: &tenure{from: from, last: last, opener: &lease{}}} }
	for _, tt := range []struct {
		name string
		got  []int64
		want []int64
	}{
		{"no tenure: of the moment itself",
			pruned(t, sights{}, 36, [2]int64{10, 36}, [2]int64{20, 25}, [2]int64{30, 35}, [2]int64{36, 45}), []int64{30, 36}},
		{"answered after it", pruned(t, sights{}, 36, [2]int64{10, 37}, [2]int64{20, 25}, [2]int64{40, 45}), []int64{10, 20, 40}},
		{"the last of all, although the tenure was seen after it",
			pruned(t, now(30, 50), 60, [2]int64{10, 15}, [2]int64{20, 25}, [2]int64{35, 38}, [2]int64{40, 45}), []int64{20, 40}},
		{"a tenure that goes on beyond the moment",
			pruned(t, now(30, 70), 60, [2]int64{20, 25}, [2]int64{35, 60}, [2]int64{58, 59}), []int64{20, 35, 58}},
		{"one that is not judged yet",
			pruned(t, sights{over: []*tenure{{from: 30}}, now: &tenure{from: 50, last: 55}}, 60, [2]int64{10, 15}, [2]int64{20, 25}, [2]int64{35, 45}, [2]int64{40, 45}),
			[]int64{20, 35, 40}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// TestPruneOwners: names that are not seen again are dropped, and of one name all leases but
// the last that was called for.
func TestPruneOwners(t *testing.T) {
	v, l := emptyView(t, Options{}), &lockView{name: "L"}
	v.owners[ownerKey{"L", "gone"}], v.owners[ownerKey{"L", "gone too"}] = ownerSeen{last: 10}, ownerSeen{last: 99}
	v.owners[ownerKey{"L", "seen"}] = ownerSeen{last: 100}
	a, b, c, d := leased(1, 20, 25), leased(2, 40, 45), leased(3, 100, 125), leased(4, 101, 145)
	s := sights{owners: map[string][]*lease{"gone": {a}, "gone too": {b}, "seen": {a, b, c, d}}}
	s.prune(v.survey, l, 100)
	kept := s.owners["seen"]
	check(t, []border{{"names", len(s.owners), 1}, {"leases", len(kept), 2}, {"the first of them", kept[0], c}})
}

// TestPruneOpener: whose name it was at first is kept of a tenure that began before, and is
// asked for once.
func TestPruneOpener(t *testing.T) {
	opener := func(from int64, had *lease, over ...*tenure) *lease {
		v, l := emptyView(t, Options{}), &lockView{name: "L"}
		v.owners[ownerKey{"L", "a"}] = ownerSeen{last: 500, grants: 1}
		l.sights = sights{owners: map[string][]*lease{"a": {leased(1, 20, 90)}}, now: &tenure{owner: "a", from: from, last: from, opener: had}, over: over}
		l.sights.prune(v.survey, l, 100)
		return l.sights.now.opener
	}
	known := leased(9, 10, 20)
	check(t, []border{
		{"it began before", opener(99, nil) != nil, true},
		{"it began then", opener(100, nil) != nil, false},
		{"known already", opener(99, known), known},
		{"another comes before it", opener(99, nil, &tenure{from: 50}) != nil, false},
	})
}
