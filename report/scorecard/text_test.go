package scorecard_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"locktorture/checker"
	"locktorture/report/scorecard"
)

// TestTextFits: the table is no wider than the terminal, says the grade and every anomaly at
// any width, and is whole where there is room.
func TestTextFits(t *testing.T) {
	refused := try("redisson-fenced", "failover", 1, checker.Safe)
	refused.State, refused.Reason, refused.Result = scorecard.NotPossible, "there is no replica that could take over from the one server of this topology", nil
	rows := scorecard.Rows([]scorecard.Try{
		try("redlock", "pause+kill-client", 1, checker.Unsafe, "double-grant", "overrun", "lost-update", "deadlock", "immortal"), refused,
	})
	for _, tt := range []struct {
		width   int
		columns string
	}{
		{0, "BACKEND NEMESIS WORKLOAD SEEDS GRADES ANOMALIES GRANTS GRANTS/S ACQUIRE P50/P99 EFFECT LOSS PLAIN/FENCED RUN"},
		{120, "BACKEND NEMESIS WORKLOAD SEEDS GRADES ANOMALIES EFFECT"},
		{80, ""},
	} {
		var out bytes.Buffer
		if err := scorecard.Text(&out, rows, tt.width); err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); tt.width > 0 && n > tt.width {
				t.Errorf("at %d: a line of %d characters: %s", tt.width, n, line)
			}
			if got := strings.Join(strings.Fields(line), " "); i == 0 && tt.columns != "" && got != tt.columns {
				t.Errorf("at %d: columns %s, want %s", tt.width, got, tt.columns)
			}
		}
		if tt.width == 80 && !strings.Contains(out.String(), "\n    deadlock ×1, double-grant ×1, immortal ×1, lost-update ×1, overrun ×1\n") {
			t.Errorf("at 80 the anomalies have no line of their own:\n%s", &out)
		}
		words := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range []string{"1 unsafe", "double-grant", "immortal ×1", "not applicable"} {
			if !strings.Contains(words, want) {
				t.Errorf("at %d: no %q:\n%s", tt.width, want, &out)
			}
		}
	}
}
