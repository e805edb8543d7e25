package checker_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestEnd: what a run shows that was killed, was cut off or whose harness failed
// is at best unknown, and what it has violated it has violated.
func TestEnd(t *testing.T) {
	safe := func(b *build) { b.grant(1, 1, 0, 10, 2000).release(1, 40, 50, history.OK) }
	paused := bounded
	paused.Nemeses = []string{"pause"}
	outlasted := func(b *build) {
		b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2500).refused(2, 2100, 2200).release(1, 2600, 2610, history.Fail)
	}
	fenced := func(b *build) {
		b.start(fencedS, "counter", "0")
		b.fenced(1, 1, 0, 10, 2000, 33).fenced(2, 2, 0, 2200, 4200, 34).store(2, fencedS, history.Read, "counter", "0", 2210, 2211)
		b.store(2, fencedS, history.Write, "counter", "1", 2220, 2221).stale(1, "counter", "1", 2300, 2301)
	}
	unsafe := func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 0, 20, 2000) }
	for _, tt := range []struct {
		name   string
		opt    checker.Options
		make   func(*build)
		why    string // "" has no end
		grade  checker.Grade
		reason string
		warns  string
	}{
		{"whole", bounded, safe, history.Complete, checker.Safe, "", ""},
		{"cut off", bounded, safe, "", checker.Unknown, "the history has no end", ""},
		{"interrupted in order", bounded, safe, history.Interrupted, checker.Safe, "", "ended early: interrupted"},
		{"at its limit, no fault was asked for", bounded, safe, history.AtLimit, checker.Unknown, "the history reached its size limit after 50 ms", "ended early: history limit"},
		{"at its limit, before the fault", paused, safe, history.AtLimit, checker.Unknown, "pause was never injected; the history reached its size limit", "ended early: history limit"},
		{"at its limit, after the fault", paused, outlasted, history.AtLimit, checker.Safe, "", "ended early: history limit"},
		{"the harness failed", bounded, safe, history.Failed, checker.Unknown, "the harness failed: out of order", ""},
		{"fenced", tokened, fenced, history.Complete, checker.FencedG, "", ""},
		{"fenced so far, cut off", tokened, fenced, "", checker.Unknown, "the history has no end", ""},
		{"fenced so far, the harness failed", tokened, fenced, history.Failed, checker.Unknown, "the harness failed", ""},
		{"violated, cut off", bounded, unsafe, "", checker.Unsafe, "", ""},
		{"violated, the harness failed", bounded, unsafe, history.Failed, checker.Unsafe, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			b.cut = true
			tt.make(b)
			h := b.history(t)
			if tt.why != "" {
				h = ended(h, tt.why)
				h[len(h)-1].Error = "out of order"
			}
			r := checker.Check(h, tt.opt, invariant.Counter{})
			if r.Grade != tt.grade || !strings.Contains(r.Reason, tt.reason) || tt.reason == "" && r.Reason != "" {
				t.Errorf("%s, reason %q; want %s, %q", r.Sentence, r.Reason, tt.grade, tt.reason)
			}
			if warned := strings.Contains(strings.Join(r.Warnings, "; "), "ended early"); warned != (tt.warns != "") {
				t.Errorf("warnings %q, want %q", r.Warnings, tt.warns)
			}
		})
	}
}

// TestCutOff: no part of a history passes, wherever it is cut, and an end in its
// place changes nothing that was found.
func TestCutOff(t *testing.T) {
	passed := 0
	r := rand.New(rand.NewPCG(20261121, 4))
	for i := range 200 {
		o := []checker.Options{bounded, tokened, watched, mutex}[i%4]
		h := wild(r, o)
		h = h[:r.IntN(len(h))]
		cut := checker.Check(h, o, invariant.Counter{})
		whole := checker.Check(ended(h[:len(h):len(h)], history.Complete), o, invariant.Counter{})
		if cut.Grade == checker.Safe || cut.Grade == checker.FencedG {
			t.Errorf("round %d, cut at %d: %s", i, len(h), cut.Sentence)
		}
		if (cut.Grade == checker.Unsafe) != (whole.Grade == checker.Unsafe) || cut.Failed != whole.Failed {
			t.Errorf("round %d, cut at %d: %s, with an end: %s", i, len(h), cut.Sentence, whole.Sentence)
		}
		if whole.Grade != checker.Unsafe && whole.Grade != checker.Unknown {
			passed++
		}
		if d := cmp.Diff(whole.Properties, cut.Properties); d != "" {
			t.Errorf("round %d, cut at %d: %s", i, len(h), d)
		}
	}
	if passed == 0 {
		t.Error("none of the histories would have passed with an end: they prove nothing")
	}
}
