package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
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
	set := tally{Scenario: "gc-pause", Backend: "redis-set", Expected: "unsafe + overrun", Of: 5, AsExpect: 5}
	fenced := tally{Scenario: "gc-pause", Backend: "redis-fenced", Variant: "fenced store", Expected: "fenced", Of: 5, AsExpect: 4}
	setCommand, fencedCommand := "torture scenario run gc-pause --backend redis-set", `torture scenario run gc-pause --backend redis-fenced --variant "fenced store"`

	fresh, err := updateTrack(empty, []tally{fenced, set}, "aaa")
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
	partial, err := updateTrack(fresh, []tally{set}, "bbb")
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
	fell, err := updateTrack(partial, []tally{set, {Scenario: "gc-pause", Backend: "redlock", Expected: "unsafe", Of: 5}, {Scenario: "gc-pause", Backend: "redis-watchdog", Skipped: "not here"}}, "ccc")
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
	if again, err := updateTrack(gone, nil, "ddd"); err != nil || again != partial {
		t.Errorf("nothing was played (%v):\n%s\nwant\n%s", err, again, partial)
	}
	for _, page := range []string{"", trackBegin, trackEnd + trackBegin, "no markers"} {
		if _, err := updateTrack(page, []tally{set}, "aaa"); !errors.Is(err, errNoTrack) {
			t.Errorf("%q: %v, want %v", page, err, errNoTrack)
		}
	}
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var e *exit.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return exitUnknown
	}
	return exitOK
}

// TestTrackRecordFile writes a file, and refuses before anything is played one that it could not.
func TestTrackRecordFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	s := scenarioSpec{Record: file}
	if err := s.recordable(); codeOf(err) != exitUsage {
		t.Errorf("no file: %v", err)
	}
	for text, code := range map[string]int{"nothing": exitUsage, trackBegin + trackEnd: exitOK} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.recordable(); codeOf(err) != code {
			t.Errorf("%q: %v, want exit code %d", text, err, code)
		}
	}
	if err := os.WriteFile(file, []byte(trackBegin+trackEnd), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.record([]tally{{Scenario: "gc-pause", Backend: "redis-set", Of: 1, AsExpect: 1}}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(page), "| 1 of 1 |") {
		t.Errorf("%v: %s", err, page)
	}
}

// TestResultsTrackRecord checks that results/README.md can take the record.
func TestResultsTrackRecord(t *testing.T) {
	if err := (scenarioSpec{Record: "../../results/README.md"}).recordable(); err != nil {
		t.Error(err)
	}
}
