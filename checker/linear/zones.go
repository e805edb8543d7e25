package linear

import (
	"cmp"
	"slices"
	"sort"
)

// A zone is the time of a cluster of operations that belong together. In a forward zone, the
// object is surely theirs from lo to hi. In a backward zone, it has to be theirs at some
// moment from lo to hi. Intervals are closed, so zones that only touch do not overlap.
type zone struct {
	lo, hi int64
	from   int32 // the operation that returns at lo (forward) or is called at lo (backward)
	to     int32 // the operation that is called at hi (forward) or returns at hi (backward)
	of     int32 // the cluster
}

// conflict finds two forward zones that overlap, or a backward zone inside a
// forward one; nil, nil if there are none, and then there is an order of the
// clusters (Gibbons and Korach 1997). It sorts both.
func conflict(forward, backward []zone) (a, b *zone) {
	byLow := func(a, b zone) int {
		if a.lo != b.lo {
			return cmp.Compare(a.lo, b.lo)
		}
		return cmp.Compare(a.hi, b.hi)
	}
	if !slices.IsSortedFunc(forward, byLow) {
		slices.SortFunc(forward, byLow)
	}
	for i := 1; i < len(forward); i++ {
		if forward[i-1].hi > forward[i].lo {
			return &forward[i-1], &forward[i]
		}
	}
	for i := range backward {
		z := &backward[i]
		k := sort.Search(len(forward), func(k int) bool { return forward[k].lo >= z.lo }) - 1
		if k >= 0 && z.hi < forward[k].hi {
			return &forward[k], z
		}
	}
	return nil, nil
}
