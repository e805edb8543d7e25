package invariant_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
)

func TestParts(t *testing.T) {
	rows := func(kind string) []invariantRow {
		return []invariantRow{
			{"everything is there", []applied{{1, w, "part/1/1", "1"}, {2, w, "part/1/2", "2"}, {3, r, "part/1/1", "1"}, {3, r, "part/1/2", "2"}}, nil, checker.Loss{Of: 2}},
			{"one part is not", []applied{{1, w, "part/1/1", "1"}, {3, r, "part/1/1", "1"}, {3, r, "part/1/2", ""}, {2, w, "part/1/2", "2"}},
				map[string]int{kind: 1}, checker.Loss{Lost: 1, Of: 2}},
			{"nobody has made the first latch yet", []applied{{1, r, "open", ""}, {2, w, "open", "1"}, {1, r, "open", "1"}}, nil, checker.Loss{}},
			{"cut off before anybody looked", []applied{{1, w, "part/1/1", "1"}}, nil, checker.Loss{}},
		}
	}
	t.Run("start gate", func(t *testing.T) { judge(t, invariant.StartGate{}, "looks", rows("started-early")) })
	t.Run("fan-in", func(t *testing.T) { judge(t, invariant.FanIn{}, "looks", rows("missing-part")) })
}

// Client 1 looks at client 2, which comes or does not.
func TestPhases(t *testing.T) {
	come := func(n string) applied { return applied{2, w, "come/2", n} }
	look := func(n string) applied { return applied{1, r, "come/2", n} }
	judge(t, invariant.Phases{}, "looks", []invariantRow{
		{"in step", []applied{come("1"), look("1"), come("2"), look("2"), come("3"), look("3")}, nil, checker.Loss{Of: 3}},
		{"a late look sees the next", []applied{come("1"), look("1"), come("2"), come("3"), look("3"), look("3"), come("4"), look("4")}, nil, checker.Loss{Of: 4}},
		{"a phase ahead", []applied{come("1"), look("1"), look("1"), look("1")}, map[string]int{"phase-ahead": 1}, checker.Loss{Lost: 1, Of: 3}},
		{"two phases ahead", []applied{come("1"), look("1"), look("1"), look("1"), look("1")}, map[string]int{"phase-ahead": 2}, checker.Loss{Lost: 2, Of: 4}},
		{"the other gave up and came again", []applied{come("1"), look("1"), come("2"), come("3"), come("4"), look("4"), come("5"), look("5")}, nil, checker.Loss{Of: 3}},
		{"of two others each counts", []applied{come("1"), {3, w, "come/3", "1"}, look("1"), {1, r, "come/3", "1"}, look("1"), {1, r, "come/3", "1"}}, nil, checker.Loss{Of: 4}},
		{"no number", []applied{come("x")}, map[string]int{"torn-write": 1}, checker.Loss{}},
		{"what is done says nothing", []applied{{2, w, "done/2", "1"}, {1, r, "done/2", "1"}, {1, r, "done/2", "1"}, {1, r, "done/2", "1"}}, nil, checker.Loss{}},
	})
}
