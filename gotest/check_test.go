//go:build !wasip1 && !simulated

package gotest

import (
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/locks"
)

// TestFailure: what a failing test prints.
func TestFailure(t *testing.T) {
	r := checker.Result{Sentence: "unsafe: 2 double-grant", Properties: []checker.Property{{Anomalies: []checker.Anomaly{
		{Kind: "double-grant", Sentence: "c2 was granted it although c1 had it"}, {Kind: "double-grant", Sentence: "again"}, {Kind: "overrun", Sentence: "c1 wrote"},
	}}}}
	want := `unsafe: 2 double-grant
  double-grant: c2 was granted it although c1 had it
  overrun: c1 wrote
report: out/latest/report.html (go test -artifacts keeps it)`
	if got := failure(r, "out"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestModel: only a lock whose leases do not end by themselves is a mutex, unless it says otherwise.
func TestModel(t *testing.T) {
	for want, traits := range map[string]locks.Traits{
		"mutex":        {},
		"timed-lease":  {Bounded: true, LeastTTL: time.Millisecond},
		"lease":        {LeastTTL: time.Millisecond},
		"fenced":       {Token: true, Bounded: true},
		"lease ":       {Watched: true},
		"timed-rwlock": {Kind: locks.ReadWrite},
	} {
		if got := model(traits); got != strings.TrimSpace(want) {
			t.Errorf("%+v: %s, want %s", traits, got, want)
		}
	}
}

// TestLeastTTL: no run is held to a TTL that the lock cannot have.
func TestLeastTTL(t *testing.T) {
	c := Config{Traits: locks.Traits{LeastTTL: 10 * time.Second}}
	if got := c.withDefaults().TTL; got != c.Traits.LeastTTL {
		t.Errorf("the default is %v", got)
	}
	c.TTL = time.Second
	if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "LeastTTL") {
		t.Errorf("%v", err)
	}
}
