package record

import (
	"errors"
	"strings"
	"testing"
)

// TestTrackRecord writes the track record of a page: for the first time, again, and in part.
func TestTrackRecord(t *testing.T) {
	empty := "# Found\n\nbefore\n" + trackBegin + trackEnd + "after\n"
	row := func(page, command string) string {
		for line := range strings.Lines(page) {
			if strings.Contains(line, "`"+command+"`") {
				return line
			}
		}
		return ""
	}
	set := Tally{Scenario: "gc-pause", Backend: "redis-set", Expected: "unsafe + overrun", Of: 5, AsExpect: 5}
	fenced := Tally{Scenario: "gc-pause", Backend: "redis-fenced", Variant: "fenced store", Expected: "fenced", Of: 5, AsExpect: 4}
	setCommand, fencedCommand := "torture scenario run gc-pause --backend redis-set", `torture scenario run gc-pause --backend redis-fenced --variant "fenced store"`

	fresh, err := Track(empty, []Tally{fenced, set}, "aaa")
	if err != nil {
		t.Fatal(err)
	}
	want := "# Found\n\nbefore\n" + trackBegin + trackHead +
		"| [`gc-pause`](../docs/scenarios/gc-pause.md) | redis-set | unsafe + overrun | 5 of 5 | aaa | `" + setCommand + "` |\n" +
		"| [`gc-pause`](../docs/scenarios/gc-pause.md) | redis-fenced (fenced store) | fenced | 4 of 5 | aaa | `" + fencedCommand + "` |\n" +
		trackEnd + "after\n"
	if fresh != want {
		t.Errorf("the first time:\n%s\nwant\n%s", fresh, want)
	}

	set.Of, set.AsExpect = 20, 19
	partial, err := Track(fresh, []Tally{set}, "bbb")
	if err != nil {
		t.Fatal(err)
	}
	if got := row(partial, setCommand); !strings.Contains(got, "| 19 of 20 | bbb |") {
		t.Errorf("a row that was played again: %q", got)
	}
	if got := row(partial, fencedCommand); got != row(fresh, fencedCommand) {
		t.Errorf("a row that was not played is now %q", got)
	}

	set.AsExpect = 0
	fell, err := Track(partial, []Tally{set, {Scenario: "gc-pause", Backend: "redlock", Expected: "unsafe", Of: 5}, {Scenario: "gc-pause", Backend: "redis-watchdog", Skipped: "not here"}}, "ccc")
	if err != nil {
		t.Fatal(err)
	}
	if got := row(fell, setCommand); !strings.Contains(got, "| 0 of 20 | bbb |") {
		t.Errorf("what was not reproduced does not keep the commit that last did: %q", got)
	}
	if got := row(fell, "torture scenario run gc-pause --backend redlock"); !strings.Contains(got, "| 0 of 5 | none yet |") {
		t.Errorf("what was never reproduced: %q", got)
	}
	if strings.Contains(fell, "redis-watchdog") {
		t.Error("a case that could not be played has a row")
	}

	gone := strings.Replace(partial, trackEnd, "| [`old`](../docs/scenarios/old.md) | redis-set | safe | 5 of 5 | aaa | `torture scenario run old --backend redis-set` |\n"+trackEnd, 1)
	if again, err := Track(gone, nil, "ddd"); err != nil || again != partial {
		t.Errorf("nothing was played (%v):\n%s\nwant\n%s", err, again, partial)
	}
	for _, page := range []string{"", trackBegin, trackEnd + trackBegin, "no markers"} {
		if _, err := Track(page, []Tally{set}, "aaa"); !errors.Is(err, errNoTrack) {
			t.Errorf("%q: %v, want %v", page, err, errNoTrack)
		}
	}
}
