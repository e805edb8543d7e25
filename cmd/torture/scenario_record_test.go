package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
	"locktorture/scenarios/record"
)

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var e *exit.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return exit.Unknown
	}
	return exit.OK
}

// TestTrackRecordFile writes a file, and refuses before anything is played one that it could
// not.
func TestTrackRecordFile(t *testing.T) {
	const markers = "<!-- track record: written by make track-record -->\n<!-- end of the track record -->\n"
	file := filepath.Join(t.TempDir(), "README.md")
	s := scenarioSpec{Record: file}
	if err := s.recordable(); codeOf(err) != exit.BadUsage {
		t.Errorf("no file: %v", err)
	}
	for text, code := range map[string]int{"nothing": exit.BadUsage, markers: exit.OK} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.recordable(); codeOf(err) != code {
			t.Errorf("%q: %v, want exit code %d", text, err, code)
		}
	}
	if err := os.WriteFile(file, []byte(markers), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.record([]record.Tally{{Scenario: "gc-pause", Backend: "redis-set", Of: 1, AsExpect: 1}}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(page), "| 1 of 1 |") {
		t.Errorf("%v: %s", err, page)
	}
}

// TestResultsTrackRecord checks that results/track-record.md can take the record.
func TestResultsTrackRecord(t *testing.T) {
	if err := (scenarioSpec{Record: "../../results/track-record.md"}).recordable(); err != nil {
		t.Error(err)
	}
}
