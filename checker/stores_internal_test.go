package checker

import (
	"slices"
	"strings"
	"testing"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// TestCounted: what clients do where they meet counts without a lease, the initial state does
// not.
func TestCounted(t *testing.T) {
	writes := func(kind string, client int) int {
		v := emptyView(t, timeline.Options{Kind: kind})
		v.stores.counted(&timeline.Access{Inv: &history.Op{F: history.Write, Store: history.Plain, Client: client}, Ret: &history.Op{Type: history.OK, Apply: 1}})
		return v.stores.store(history.Plain).result.Writes
	}
	check(t, []border{{"at a latch", writes(timeline.LatchKind, 1), 1}, {"the initial state", writes(timeline.LatchKind, 0), 0}, {"under no lock", writes("", 1), 0}})
}

// wrong finds an anomaly without a witness in every operation.
type wrong struct{ Replay }

func (wrong) Apply(*history.Op) []incident.Anomaly {
	return []incident.Anomaly{{Kind: "lost-update", Time: 5}}
}

func (wrong) Loss() Loss { return Loss{} }

// TestNoStory: what an invariant finds need not have a witness.
func TestNoStory(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	a := wrote("k", 1, history.OK, nil)
	v.stores.key(a, 0)
	v.stores.store("").replay = wrong{}
	v.stores.apply(applied{a: a})
	check(t, []border{{"found", v.stores.store("").found.Counts["lost-update"], 1}})
}

// TestFirstApplied: the first number of a store need not be 1.
func TestFirstApplied(t *testing.T) {
	o := emptyView(t, timeline.Options{}).stores
	apply := func(n int64) bool {
		a := &timeline.Access{Inv: &history.Op{F: history.Write, Store: history.Plain, Key: "k"}, Ret: &history.Op{F: history.Write, Type: history.OK, Apply: n}}
		o.key(a, 0)
		o.apply(applied{a: a})
		return o.gap
	}
	check(t, []border{{"the first", apply(5), false}, {"the next", apply(6), false}, {"one is missing", apply(8), true}})
}

// TestLinearizedCounts: something was judged, or nothing was.
func TestLinearizedCounts(t *testing.T) {
	reason := func(judged int, unknown ...string) string {
		v := emptyView(t, timeline.Options{Model: "latch"})
		return v.linearized(incident.NewFindings(v.on.Book), judged, unknown).Reason
	}
	check(t, []border{{"none", reason(0), "there were no operations"}, {"one", reason(1), ""}, {"one could not be judged", reason(1, "too long"), "too long"}})
}

func TestReasons(t *testing.T) {
	list := func(n int) string { return reasons(slices.Repeat([]string{"x"}, n)) }
	check(t, []border{
		{"as many as are shown", strings.Contains(list(incident.Witnesses), "more"), false},
		{"one more", strings.HasSuffix(list(incident.Witnesses+1), "and 1 more"), true},
	})
}
