package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestThrottled: in a run that was throttled nothing is flagged that a pause of the machine
// brings about; what no pause can, and what a fault was meant to, stays.
func TestThrottled(t *testing.T) {
	limited := checker.Throttling{Periods: 1200, Throttled: 31, Time: 2_100 * ms}
	few := bounded
	few.MinGrants = 9
	overran := func(b *build) { sections(b, plain, true) }
	for _, tt := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		with checker.Grade // where it was throttled
		fail bool
		says string
	}{
		{"overrun, no fault", bounded, overran, checker.Unknown, false, "31 of 1,200 periods (2.1 s of processor time lost), and all anomalies found depend on timing alone: 1 overrun"},
		{"overrun, fenced", tokened, func(b *build) {
			sections(b, fencedS, false).stale(1, "counter", "1", 2300, 2301)
		}, checker.Unknown, false, "1 overrun"},
		{"overrun, by a client that was stopped", bounded, func(b *build) {
			overran(b)
			b.fault("pause", 1, 1, "c1", 100, 2200)
		}, checker.Unsafe, true, ""},
		{"a deadlock beside a safe", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 1000).try(2, 500, 9000, history.Fail, history.ByTime)
		}, checker.Unknown, false, "timing alone"},
		{"a loss told late", watched, func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 20, 30, 0).lost(1, 5000)
		}, checker.Unknown, false, "timing alone: 1 late-notice"},
		{"two at a time", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 100, 110, 2000)
		}, checker.Unsafe, true, ""},
		{"a corrupt store, no anomaly of the lock", bounded, func(b *build) {
			b.start(plain, "counter", "0").grant(1, 1, 0, 10, 1000)
			b.store(1, plain, history.Read, "counter", "0", 20, 21).store(1, plain, history.Write, "counter", "2", 30, 31).release(1, 40, 41, history.OK)
		}, checker.Unsafe, true, "cause not identified"},
		{"nothing violated", bounded, func(b *build) {
			b.start(plain, "counter", "0").grant(1, 1, 0, 10, 2000).release(1, 40, 50, history.OK).grant(2, 2, 20, 60, 2050)
		}, checker.Safe, false, ""},
		{"nothing violated, nor shown", few, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, checker.Unknown, false, "minimum is 9"},
	} {
		b := newBuild()
		tt.make(b)
		h := b.history(t)
		free := checker.Check(h, tt.opt, invariant.Counter{})
		tt.opt.Throttled = limited
		r := checker.Check(h, tt.opt, invariant.Counter{})
		t.Logf("%s: %s", tt.name, r.Sentence)
		if r.Grade != tt.with || r.Failed != tt.fail || !strings.Contains(r.Reason, tt.says) {
			t.Errorf("%s: %s, failed %v, because %q; want %s, %v, %q", tt.name, r.Grade, r.Failed, r.Reason, tt.with, tt.fail, tt.says)
		}
		taken := tt.with == checker.Unknown && free.Grade != checker.Unknown
		if taken && (r.BrokenBy != checker.Nobody || r.Bound != "") {
			t.Errorf("%s: broken by %q, bound %q", tt.name, r.BrokenBy, r.Bound)
		}
		for i, p := range r.Properties {
			if was := free.Properties[i]; taken && was.Status == checker.Violated && (p.Status != checker.NotChecked || p.Total != was.Total) || !taken && p.Status != was.Status {
				t.Errorf("%s: %s is %s, was %s", tt.name, p.Name, p.Status, was.Status)
			}
		}
		if said := strings.Contains(strings.Join(r.Warnings, "\n"), "31 of 1,200 periods"); !said {
			t.Errorf("%s: the warnings are %q", tt.name, r.Warnings)
		}
		if strings.Contains(strings.Join(free.Warnings, "\n"), "throttled") {
			t.Errorf("%s: without a limit the warnings are %q", tt.name, free.Warnings)
		}
	}
}
