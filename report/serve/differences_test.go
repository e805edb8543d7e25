package serve

import (
	"slices"
	"testing"

	"locktorture/checker"
	"locktorture/report"
)

// TestUnlike: figures of the same size are no difference, in whatever unit; other words are.
func TestUnlike(t *testing.T) {
	for _, tt := range []struct {
		x, y string
		want bool
	}{
		{"violated, overrun ×100", "violated, overrun ×120", false},
		{"violated, overrun ×100", "violated, overrun ×130", true},
		{"violated, overrun ×1", "violated, orphan ×1", true},
		{"violated", "kept", true},
		{"p50 980 µs, p99 2 ms", "p50 1.02 ms, p99 2.1 ms", false},
		{"p50 980 ns", "p50 980 ms", true},
		{"2\u202f098 grants", "1\u202f980 grants", false},
		{"2 098 grants", "980 grants", true},
		{"0 of 41", "1 of 41", true},
		{"", "kept", true},
	} {
		if got := unlike(tt.x, tt.y); got != tt.want || unlike(tt.y, tt.x) != tt.want {
			t.Errorf("%q and %q: %v", tt.x, tt.y, got)
		}
	}
}

// TestComparison: a run does not differ from itself, nor from its like at another time; what
// differs stands first.
func TestComparison(t *testing.T) {
	entry := func(name, backend string, seed uint64, rate float64) Entry {
		return Entry{Name: name, Run: report.Run{Name: name, Backend: backend, Seed: seed, Commit: "c",
			Versions: []report.Version{{Name: "torture", Version: "c"}, {Name: "redis", Version: "7"}, {Name: "redis", Version: "8"}}},
			Result: checker.Result{Grade: checker.Safe, Sentence: "safe: " + name, Measures: checker.Measures{GrantRate: rate}}}
	}
	a := entry("a", "redlock", 1, 100)
	for _, tt := range []struct {
		name string
		b    Entry
		want []string
	}{
		{"itself", a, nil},
		{"the same once more", entry("b", "redlock", 1, 110), nil},
		{"another seed", entry("b", "redlock", 2, 110), []string{"seed"}},
		{"another lock, much slower", entry("b", "etcd", 1, 50), []string{"backend", "grants a second"}},
	} {
		rows := compareRows(a, tt.b)
		var got []string
		for _, row := range rows.Different() {
			got = append(got, row.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q differ, want %q", tt.name, got, tt.want)
		}
		if n := len(rows.Different()) + len(rows.Same()); n != len(rows) {
			t.Errorf("%s: %d of %d rows are shown", tt.name, n, len(rows))
		}
	}
}
