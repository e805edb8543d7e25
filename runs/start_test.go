package runs

import (
	"strings"
	"testing"
	"unicode/utf8"

	"locktorture/report"
	"locktorture/trial"
)

// TestStartLines: what is said before a run fits the terminal, however much there is to say of
// servers that are not there.
func TestStartLines(t *testing.T) {
	r := report.Run{
		ProvisionerWhy: "redis-5 on servers embedded in this process (auto); " + strings.Repeat("process: redis-server is not installed; ", 3),
		LeftOut:        []string{strings.Repeat("clock: it cannot be moved here ", 4), "failover: it has no replicas"},
	}
	lines := startLines(Run{}, r, &trial.Dir{Path: "results/runs/20261122-212921.270-redlock-1"}, 80)
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if last := lines[len(lines)-1]; last != "run: results/runs/20261122-212921.270-redlock-1" {
		t.Errorf("the last line is %q", last)
	}
}
