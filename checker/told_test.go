package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// TestBy: a section is named by its client, one of a history by other hands by its process.
func TestBy(t *testing.T) {
	for _, tt := range []struct {
		op   history.Op
		want string
	}{
		{history.Op{Process: -1}, "the initial state"},
		{history.Op{Process: 4, Client: 3}, "c3 (without the lock)"},
		{history.Op{Process: 4, Lease: 5}, "process 4 (lease 5)"},
		{history.Op{Process: 4, Client: 3, Lease: 5}, "c3 (lease 5)"},
	} {
		if got := checker.By(&tt.op); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestFaultsToldOf: an anomaly tells of the last faults that were in place, and how many there
// were before.
func TestFaultsToldOf(t *testing.T) {
	for _, tt := range []struct {
		faults int64
		node   string
		seen   string
		want   string // the end of the sentence
		not    string
	}{
		{0, "n1", "", "", "fault"},
		{1, "n1", "late", "; fault meanwhile: latency of n1 at 0.101 s (late)", "earlier"},
		{1, "", "", "; fault meanwhile: latency at 0.101 s", " of  at"},
		{2, "n1", "", "; faults meanwhile: latency of n1 at 0.101 s, latency of n1 at 0.102 s", "earlier"},
		{9, "n1", "", ", latency of n1 at 0.109 s", "0.101 s"},
	} {
		b := newBuild().grant(1, 1, 10, 20, 2000).grant(2, 2, 1000, 1999, 3900)
		for i := range tt.faults {
			b.fault("latency", int(i+1), 0, tt.node, 101+i, 2500)
			b.h[len(b.h)-2].Value = tt.seen
		}
		for _, p := range checker.Check(b.until(3000).history(t), bounded, nil).Properties {
			for _, a := range p.Anomalies {
				if !strings.HasSuffix(a.Sentence, tt.want) || strings.Contains(a.Sentence, tt.not) {
					t.Errorf("%d faults: %s", tt.faults, a.Sentence)
				}
				if many := strings.Contains(a.Sentence, "; faults meanwhile: 7 earlier, "); many != (tt.faults == 9) {
					t.Errorf("%d faults: %s", tt.faults, a.Sentence)
				}
			}
		}
	}
}
