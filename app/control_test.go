package app_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/app"
	"locktorture/checker"
)

// TestControls: the broken workers of apps/control are found, each by its own anomaly, and the
// correct one is not flagged.
func TestControls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, found string }{
		{"fenced-python", ""},
		{"checks-once-go", "stale-effect"},
		{"renews-by-name-python", "stale-effect"},
		{"acks-early-go", "lost"},
		{"unlocked-python", "ran-twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.HasSuffix(c.name, "-go") { // these build one program
				t.Parallel()
			}
			f, err := app.Read(filepath.Join("../apps/control", c.name))
			if err != nil {
				t.Fatal(err)
			}
			f.Duration = 8 * time.Second
			o := tortureUntil(t, f, func(r checker.Result) bool { return r.Failed || c.found == "" && r.Counts.Grants >= 5 }, f.Faults...)
			found := o.Result.Counts.Anomalies
			if o.Failure != nil || o.Result.Failed != (c.found != "") || c.found != "" && found[c.found] == 0 || o.Result.Counts.Grants < 5 {
				t.Errorf("%v in %d runs: %s, failure %v", found, o.Result.Counts.Grants, o.Result.Sentence, o.Failure)
			}
		})
	}
}
