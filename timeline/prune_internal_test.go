package timeline

import "testing"

// TestPruneOwners: names that are not seen again are dropped, and of one name all leases but
// the last that was called for.
func TestPruneOwners(t *testing.T) {
	v, l := emptyFold(t, Options{}), &Lock{Name: "L"}
	v.Owners[OwnerKey{"L", "gone"}], v.Owners[OwnerKey{"L", "gone too"}] = OwnerSeen{Last: 10}, OwnerSeen{Last: 99}
	v.Owners[OwnerKey{"L", "seen"}] = OwnerSeen{Last: 100}
	a, b, c, d := leased(1, 20, 25), leased(2, 40, 45), leased(3, 100, 125), leased(4, 101, 145)
	s := Sights{owners: map[string][]*Lease{"gone": {a}, "gone too": {b}, "seen": {a, b, c, d}}}
	s.prune(v.Run, l, 100)
	kept := s.owners["seen"]
	check(t, []border{{"names", len(s.owners), 1}, {"leases", len(kept), 2}, {"the first of them", kept[0], c}})
}

// TestPruneOpener: whose name it was at first is kept of a tenure that began before, and is
// asked for once.
func TestPruneOpener(t *testing.T) {
	opener := func(from int64, had *Lease, over ...*Tenure) *Lease {
		v, l := emptyFold(t, Options{}), &Lock{Name: "L"}
		v.Owners[OwnerKey{"L", "a"}] = OwnerSeen{Last: 500, Grants: 1}
		l.Sights = Sights{owners: map[string][]*Lease{"a": {leased(1, 20, 90)}}, Now: &Tenure{Owner: "a", From: from, Last: from, Opener: had}, Over: over}
		l.Sights.prune(v.Run, l, 100)
		return l.Sights.Now.Opener
	}
	known := leased(9, 10, 20)
	check(t, []border{
		{"it began before", opener(99, nil) != nil, true},
		{"it began then", opener(100, nil) != nil, false},
		{"known already", opener(99, known), known},
		{"another comes before it", opener(99, nil, &Tenure{From: 50}) != nil, false},
	})
}
