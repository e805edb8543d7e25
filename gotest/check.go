//go:build !wasip1 && !simulated

package gotest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
)

// Check tortures the lock and fails the test if the lock failed: if the verdict is unsafe, if the
// lock broke a guarantee, or if it was dead, starved a client or ended the lease of another client.
// It also fails for a run that shows too little for a verdict. If a fence protected the store from
// a holder without a lease, the lock has passed.
//
// Without a Config.Dir, the run directory is in the directory of the test's artifacts, which `go
// test -artifacts` keeps.
func Check(t *testing.T, cfg Config) checker.Result {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.ArtifactDir()
	}
	r, err := Run(t.Context(), cfg)
	if err != nil {
		if r.Failed { // a failure of the harness hides no verdict
			t.Error(failure(r, cfg.Dir))
		}
		t.Fatal(err)
	}
	if r.Failed || r.Grade == checker.Unknown {
		t.Error(failure(r, cfg.Dir))
		return r
	}
	t.Log(r.Sentence)
	return r
}

// failure describes the result of a run, with the path of its report.
func failure(r checker.Result, dir string) string {
	return fmt.Sprintf("%s\nreport: %s (go test -artifacts keeps it)", verdict(r), filepath.Join(dir, "latest", "report.html"))
}

// verdict describes the result of a run, with the first anomaly of each kind.
func verdict(r checker.Result) string {
	var b strings.Builder
	b.WriteString(r.Sentence)
	for _, p := range r.Properties {
		var told []string
		for _, a := range p.Anomalies {
			if !slices.Contains(told, a.Kind) {
				told = append(told, a.Kind)
				fmt.Fprintf(&b, "\n  %s: %s", a.Kind, a.Sentence)
			}
		}
	}
	return b.String()
}
