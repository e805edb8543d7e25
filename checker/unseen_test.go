package checker_test

import (
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// TestUnseen looks at properties that a history cannot show to be violated: they are not kept.
func TestUnseen(t *testing.T) {
	// c1 releases after its lease had run out and c2 had been granted.
	late := func(b *build) *build {
		return b.fenced(1, 1, 0, 10, 2000, 0).fenced(2, 2, 1900, 2100, 4100, 0).release(1, 2500, 2510, history.Fail)
	}
	nameless := func(b *build) {
		for i := range b.h {
			if b.h[i].F == history.Acquire {
				b.h[i].Value = ""
			}
		}
	}
	plainLease := bounded
	plainLease.Model = ""
	bare := mutex
	blind := plainLease
	blind.Blind = true
	for _, tt := range []struct {
		name     string
		opt      checker.Options
		make     func(b *build)
		property string
		status   string
		reason   string
	}{
		{"looked at, and the leases tell their names", plainLease, func(b *build) { late(b).probe(2200, "p2:2", 4100) }, "ownership", checker.Kept, ""},
		{"looked at, but the leases tell no name", plainLease, func(b *build) {
			late(b).probe(2200, "somebody", 4100)
			nameless(b)
		}, "ownership", checker.NotChecked, "do not say under which name"},
		{"looked at, but kept under other names", plainLease, func(b *build) { late(b).probe(2200, "somebody", 4100) }, "ownership", checker.NotChecked, "the probes found no lease"},
		{"not looked at, but promises end by themselves", plainLease, func(b *build) { late(b) }, "ownership", checker.Kept, ""},
		{"not looked at, and promises end by the release", bare, func(b *build) {
			b.grant(1, 1, 0, 10, 0).release(1, 500, 510, history.OK)
		}, "ownership", checker.NotChecked, "were not probed"},
		{"not looked at, and a release tells nothing", blind, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).release(1, 2500, 2510, history.OK)
		}, "ownership", checker.NotChecked, "answers a release with ok even if its lease had already ended"},
		{"looked at, although a release tells nothing", blind, func(b *build) { late(b).probe(2200, "p2:2", 4100) }, "ownership", checker.Kept, ""},
		{"what was seen to be violated is", plainLease, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).release(1, 2500, 2510, history.OK)
		}, "ownership", checker.Violated, ""},
		{"tokens declared and one given", tokened, func(b *build) { b.fenced(1, 1, 0, 10, 2000, 3).grant(2, 2, 2100, 2110, 4100) }, "fencing", checker.Kept, ""},
		{"tokens declared and none given", tokened, func(b *build) { late(b) }, "fencing", checker.NotChecked, "no grant came with a token"},
		{"one validity told", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 2100, 2110, 0) }, "exclusion", checker.Kept, ""},
		{"no validity told: no lease promised anything", bounded, func(b *build) { b.grant(1, 1, 0, 10, 0).grant(2, 2, 20, 30, 0) }, "exclusion", checker.NotChecked, "no lease promised"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			r := checker.Check(b.history(t), tt.opt, nil)
			i := slices.IndexFunc(r.Properties, func(p checker.Property) bool { return p.Name == tt.property })
			if p := r.Properties[i]; p.Status != tt.status || !strings.Contains(p.Reason, tt.reason) {
				t.Errorf("%s is %s: %q, want %s: …%s…", p.Name, p.Status, p.Reason, tt.status, tt.reason)
			}
			if tt.property == "exclusion" && tt.status == checker.NotChecked && r.Grade != checker.Unknown {
				t.Errorf("%s although exclusion could not be seen: %s", r.Grade, r.Sentence)
			}
		})
	}
}
