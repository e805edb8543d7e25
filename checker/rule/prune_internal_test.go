package rule

import (
	"slices"
	"testing"

	"locktorture/timeline"
)

// pruned are the calls of the endings that are kept, of those that were called for and
// answered at some moments.
func pruned(t *testing.T, s timeline.Sights, before int64, list ...[2]int64) []int64 {
	r := &foreignRelease{}
	for _, e := range list {
		r.endings = append(r.endings, release(nil, e[0], e[1]))
	}
	r.prune(s.Horizon(before))
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
	now := func(from, last int64) timeline.Sights {
		return timeline.Sights{Now: &timeline.Tenure{From: from, Last: last, Opener: &timeline.Lease{}}}
	}
	for _, tt := range []struct {
		name string
		got  []int64
		want []int64
	}{
		{"no tenure: of the moment itself",
			pruned(t, timeline.Sights{}, 36, [2]int64{10, 36}, [2]int64{20, 25}, [2]int64{30, 35}, [2]int64{36, 45}), []int64{30, 36}},
		{"answered after it", pruned(t, timeline.Sights{}, 36, [2]int64{10, 37}, [2]int64{20, 25}, [2]int64{40, 45}), []int64{10, 20, 40}},
		{"the last of all, although the tenure was seen after it",
			pruned(t, now(30, 50), 60, [2]int64{10, 15}, [2]int64{20, 25}, [2]int64{35, 38}, [2]int64{40, 45}), []int64{20, 40}},
		{"a tenure that goes on beyond the moment",
			pruned(t, now(30, 70), 60, [2]int64{20, 25}, [2]int64{35, 60}, [2]int64{58, 59}), []int64{20, 35, 58}},
		{"one that is not judged yet",
			pruned(t, timeline.Sights{Over: []*timeline.Tenure{{From: 30}}, Now: &timeline.Tenure{From: 50, Last: 55}}, 60, [2]int64{10, 15}, [2]int64{20, 25}, [2]int64{35, 45}, [2]int64{40, 45}),
			[]int64{20, 35, 40}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}
