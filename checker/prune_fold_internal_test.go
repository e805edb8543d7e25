package checker

import "testing"

// TestPruneOwners: names that are not seen again are dropped, and of one name all leases but
// the last that was called for.
func TestPruneOwners(t *testing.T) {
	v, l := emptyFold(t, Options{}), &lockView{name: "L"}
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
		v, l := emptyFold(t, Options{}), &lockView{name: "L"}
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
