//go:build !wasip1 && !simulated

package gotest

import (
	"strings"
	"testing"
)

// A finding that could not be kept is told without its report.
func TestFoundText(t *testing.T) {
	for report, want := range map[string]string{"": "replay: ", "runs/a/report.html": "on real servers: torture confirm runs/a"} {
		text := (&Found{Report: report}).text(Exploration{}, "TestLock")
		if last := text[strings.LastIndexByte(text, '\n')+1:]; !strings.HasPrefix(last, want) {
			t.Errorf("report %q: the last line is %q, not %q", report, last, want)
		}
	}
}
