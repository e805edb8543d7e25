package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// outages makes what was done to servers in a history something that nobody injected.
func outages(h history.History) history.History {
	for i := range h {
		if h[i].F == history.Fault || h[i].F == history.Heal {
			h[i].Traits = &history.FaultTraits{Effect: history.Down, TakesLocks: true, Unplanned: true}
			h[i].Value = "no answer"
		}
	}
	return h
}

// TestOutages: while a server could not be used a lock need not be free, and a run in which that
// lasted is no proof of anything. Before and after it a lock is judged as ever.
func TestOutages(t *testing.T) {
	waits := func(from, to int64) func(b *build) {
		return func(b *build) {
			b.grant(1, 1, 0, 10, 0).release(1, 20, 30, history.OK).try(2, from, to, history.Fail, history.ByServer)
			b.grant(3, 3, 9950, 9960, 0).release(3, 9970, 9980, history.OK)
		}
	}
	for _, tt := range []struct {
		name     string
		from, to int64 // of the outage
		make     func(b *build)
		grade    checker.Grade
		fail     bool
		says     string
	}{
		{"refused, in an outage", 30, 9900, waits(1000, 9000), checker.Unknown, false, "redis-1 could not be used from 0.030 s to 9.900 s (no answer)"},
		{"refused, long after an outage", 30, 900, waits(1000, 9000), checker.Safe, true, ""},
		{"nothing refused, just too long", 5000, 6000, waits(40, 41), checker.Unknown, false, "redis-1 could not be used"},
		{"nothing refused, just a hiccup", 5000, 5999, waits(40, 41), checker.Safe, false, ""},
		{"to the end", 5000, 9985, waits(40, 41), checker.Unknown, false, "redis-1 could not be used from 5.000 s to the end (no answer)"},
	} {
		b := newBuild()
		tt.make(b)
		b.fault("outage", 1, 0, "redis-1", tt.from, tt.to)
		r := checker.Check(outages(b.history(t)), mutex, invariant.Counter{})
		t.Logf("%s: %s", tt.name, r.Sentence)
		if r.Grade != tt.grade || r.Failed != tt.fail || !strings.Contains(r.Reason, tt.says) || len(r.Faults) != 0 {
			t.Errorf("%s: %s, failed %v, reason %q, faults %v, want %s, %v, %q", tt.name, r.Grade, r.Failed, r.Reason, r.Faults, tt.grade, tt.fail, tt.says)
		}
	}
}

// TestOutagesInOne: what one server had without a break is one outage, for the reason that
// lasted longest, and not more than three are named.
func TestOutagesInOne(t *testing.T) {
	b := newBuild()
	b.grant(1, 1, 0, 10, 0).release(1, 20, 30, history.OK).grant(2, 2, 49_000, 49_010, 0)
	b.fault("outage", 1, 0, "redis-1", 1000, 2000).fault("outage", 2, 0, "redis-1", 2000, 9000)
	for n := range int64(4) {
		b.fault("outage", 10+int(n), 0, "redis-1", 20_000+n*4000, 22_000+n*4000)
	}
	h := outages(b.history(t))
	for i := range h {
		if h[i].Fault == 2 {
			h[i].Value = "connection refused"
		}
	}
	r := checker.Check(h, mutex, invariant.Counter{})
	for _, want := range []string{"from 1.000 s to 9.000 s (connection refused)", "and 2 more times"} {
		if !strings.Contains(r.Reason, want) {
			t.Errorf("%q does not say %q", r.Reason, want)
		}
	}
}
