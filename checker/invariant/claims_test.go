package invariant_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
)

func TestDocument(t *testing.T) {
	start := []applied{{0, w, "page/1", "0"}, {0, w, "page/2", "0"}}
	from := func(list ...applied) []applied { return append(start[:2:2], list...) }
	judge(t, invariant.Document{}, "second reads", []invariantRow{
		{"read twice", from(applied{1, r, "page/1", "0"}, applied{1, r, "page/2", "0"}, applied{1, r, "page/1", "0"}, applied{1, r, "page/2", "0"}),
			nil, checker.Loss{Of: 2}},
		{"changed in between", from(applied{1, r, "page/2", "0"}, applied{2, w, "page/1", "1"}, applied{2, w, "page/2", "1"}, applied{1, r, "page/2", "1"}),
			map[string]int{"torn-read": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"changed between two readers", from(applied{1, r, "page/1", "0"}, applied{2, w, "page/1", "1"}, applied{3, r, "page/1", "1"}), nil, checker.Loss{}},
		{"a writer that died between its writes", from(applied{1, w, "page/1", "1"}, applied{2, r, "page/1", "1"}, applied{2, r, "page/2", "0"}, applied{2, r, "page/2", "0"}, applied{3, w, "page/1", "2"}, applied{3, w, "page/2", "2"}),
			nil, checker.Loss{Of: 1}},
		{"two writers from the same version", from(applied{1, r, "page/1", "0"}, applied{2, r, "page/1", "0"}, applied{1, w, "page/1", "1"}, applied{2, w, "page/1", "1"}),
			map[string]int{"lost-update": 1}, checker.Loss{}},
		{"a reader that became the writer, and reads on", from(applied{1, r, "page/1", "0"}, applied{1, w, "page/1", "1"}, applied{1, r, "page/1", "1"}), nil, checker.Loss{Of: 1}},
		{"changed since it wrote", from(applied{1, r, "page/1", "0"}, applied{1, w, "page/1", "1"}, applied{2, w, "page/1", "2"}, applied{1, r, "page/1", "2"}),
			map[string]int{"torn-read": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"changed before it wrote", from(applied{1, r, "page/1", "0"}, applied{2, w, "page/1", "1"}, applied{1, w, "page/1", "1"}, applied{1, r, "page/1", "1"}),
			map[string]int{"lost-update": 1}, checker.Loss{Of: 1}},
		{"no version", from(applied{1, w, "page/1", "x"}), map[string]int{"torn-write": 1}, checker.Loss{}},
		{"another key", from(applied{1, w, "cover", "x"}), nil, checker.Loss{}},
	})
}

func TestRate(t *testing.T) {
	start := applied{0, w, "capacity", "2"}
	many := map[string]int{"too-many-at-work": 1}
	judge(t, invariant.Rate{}, "sections", []invariantRow{
		{"two at a time", []applied{start, {1, w, "begun/a", "1"}, {2, w, "begun/b", "1"}, {1, w, "done/a", "1"}, {2, w, "done/b", "1"}}, nil, checker.Loss{Of: 2}},
		{"three, the last to come ends first", []applied{start, {1, w, "begun/a", "1"}, {2, w, "begun/b", "1"}, {3, w, "begun/c", "1"}, {3, w, "done/c", "1"}, {2, w, "done/b", "1"}, {1, w, "done/a", "1"}},
			many, checker.Loss{Lost: 1, Of: 3}},
		{"three, the first to come ends first", []applied{start, {1, w, "begun/a", "1"}, {2, w, "begun/b", "1"}, {3, w, "begun/c", "1"}, {1, w, "done/a", "1"}, {2, w, "done/b", "1"}, {3, w, "done/c", "1"}},
			many, checker.Loss{Lost: 1, Of: 3}},
		{"two permits beside one", []applied{start, {1, w, "begun/a", "1"}, {2, w, "begun/b", "2"}, {2, w, "done/b", "2"}, {1, w, "done/a", "1"}}, many, checker.Loss{Lost: 1, Of: 2}},
		{"one after the other", []applied{start, {1, w, "begun/a", "2"}, {1, w, "done/a", "2"}, {2, w, "begun/b", "2"}, {2, w, "done/b", "2"}}, nil, checker.Loss{Of: 2}},
		{"one that died counts for nothing", []applied{start, {1, w, "begun/a", "2"}, {2, w, "begun/b", "2"}, {2, w, "done/b", "2"}}, nil, checker.Loss{Of: 1}},
		{"one that never ends does not hide those that came after it", []applied{{0, w, "capacity", "1"}, {1, w, "begun/a", "1"}, {2, w, "begun/b", "1"}, {3, w, "begun/c", "1"}, {2, w, "done/b", "1"}, {3, w, "done/c", "1"}},
			many, checker.Loss{Lost: 1, Of: 2}},
		{"four at once are two too many", []applied{start, {1, w, "begun/a", "1"}, {2, w, "begun/b", "1"}, {3, w, "begun/c", "1"}, {4, w, "begun/d", "1"}, {1, w, "done/a", "1"}, {2, w, "done/b", "1"}, {3, w, "done/c", "1"}, {4, w, "done/d", "1"}},
			map[string]int{"too-many-at-work": 2}, checker.Loss{Lost: 2, Of: 4}},
		{"no number", []applied{start, {1, w, "begun/a", "x"}}, map[string]int{"torn-write": 1}, checker.Loss{}},
	})
}

// TestRateForgets: a section whose lease is over before it was done never ends, and those
// beside it are judged without it.
func TestRateForgets(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before []applied
		lease  int64 // that is over
		after  []applied
		want   int // sections too many
	}{
		{"it was the other", []applied{{1, w, "begun/a", "1"}, {2, w, "begun/b", "1"}, {2, w, "done/b", "1"}}, 1, []applied{{1, w, "done/a", "1"}}, 0},
		{"a third", []applied{{1, w, "begun/a", "1"}, {3, w, "begun/c", "1"}, {2, w, "begun/b", "1"}}, 3, []applied{{2, w, "done/b", "1"}, {1, w, "done/a", "1"}}, 1},
		{"what its lease had done before", []applied{{1, w, "begun/a", "1"}, {3, w, "begun/c", "1"}, {3, w, "done/c", "1"}, {3, w, "begun/d", "1"}}, 3, []applied{{1, w, "done/a", "1"}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replay := invariant.Rate{}.Begin()
			found := 0
			for _, op := range applies(append([]applied{{0, w, "capacity", "1"}}, tt.before...)) {
				found += len(replay.Apply(&op))
			}
			replay.(checker.Forgetful).Forget(tt.lease)
			for _, op := range applies(tt.after) {
				found += len(replay.Apply(&op))
			}
			if found != tt.want {
				t.Errorf("%d anomalies, want %d", found, tt.want)
			}
		})
	}
}

func TestController(t *testing.T) {
	start := applied{0, w, "generation", "0"}
	stale := map[string]int{"stale-change": 1}
	judge(t, invariant.Controller{}, "changes", []invariantRow{
		{"one leader after the other", []applied{start, {1, r, "generation", "0"}, {1, w, "generation", "1"}, {1, w, "applied", "1 1"}, {2, w, "generation", "2"}, {2, w, "applied", "2 1"}},
			nil, checker.Loss{Of: 2}},
		{"one that goes on when another has taken over", []applied{start, {1, w, "generation", "1"}, {2, w, "generation", "2"}, {1, w, "applied", "1 1"}, {1, w, "applied", "1 2"}, {2, w, "applied", "2 1"}},
			stale, checker.Loss{Lost: 2, Of: 3}},
		{"two who took over from the same", []applied{start, {1, w, "generation", "1"}, {2, w, "generation", "1"}, {2, w, "applied", "1 1"}},
			map[string]int{"lost-update": 1}, checker.Loss{Of: 1}},
		{"the first of them goes on", []applied{start, {1, w, "generation", "1"}, {2, w, "generation", "1"}, {1, w, "applied", "1 1"}},
			map[string]int{"lost-update": 1, "stale-change": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"cut short", []applied{start, {1, w, "generation", "1"}, {2, w, "generation", "2"}, {2, w, "applied", "2 1"}}, nil, checker.Loss{Of: 1}},
		{"no generation", []applied{start, {1, w, "generation", "x"}}, map[string]int{"torn-write": 1}, checker.Loss{}},
		{"a change of none", []applied{start, {1, w, "applied", "x"}}, map[string]int{"torn-write": 1}, checker.Loss{}},
		{"another key", []applied{start, {1, w, "cover", "x"}}, nil, checker.Loss{}},
	})
}
