package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestWarnings: evidence that is weaker than it could be stands in the warnings, and nothing
// else does.
func TestWarnings(t *testing.T) {
	const unlooked = "the servers were not probed"
	blind := bounded
	blind.Blind = true
	for _, tt := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		want []string // beginnings
	}{
		{"not looked at", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, []string{unlooked + ": foreign-release is only inferred"}},
		{"not looked at, and a release tells nothing", blind, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, []string{unlooked + ": foreign-release, orphan and immortal"}},
		{"not looked at, and nothing was granted", bounded, func(b *build) { b.try(1, 0, 10, history.Fail, history.ByServer) }, nil},
		{"looked at", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).probe(50, "p1:1", 2000) }, nil},
		{"seen under another name", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).probe(50, "p9:9", 2000) },
			[]string{"the probes found no lease under the name that its holder had reported: the probes of the servers"}},
		{"looked at, and nothing was granted", bounded, func(b *build) { b.probe(50, "p9:9", 2000) }, nil},
		{"a validity that was never told", bounded, func(b *build) { b.grant(1, 1, 0, 10, 0).probe(50, "p1:1", 2000) }, []string{"leases that never reported their validity and so promise nothing: 1"}},
		{"a lock whose leases declare none", mutex, func(b *build) { b.grant(1, 1, 0, 10, 0).probe(50, "p1:1", history.Never) }, nil},
		{"a grant without a token", tokened, func(b *build) { b.grant(1, 1, 0, 10, 2000).probe(50, "p1:1", 2000) }, []string{"grants without a token, which the token checks ignore: 1"}},
		{"a grant with one", tokened, func(b *build) { b.fenced(1, 1, 0, 10, 2000, 7).probe(50, "p1:1", 2000) }, nil},
		{"a fault that was not healed", mutex, func(b *build) { b.fault("pause", 1, 1, "c1", 10, -1) }, []string{"fault 1 (pause) was not healed"}},
		{"a fault that was", mutex, func(b *build) { b.fault("pause", 1, 1, "c1", 10, 20) }, nil},
		{"a kill has no heal", mutex, func(b *build) { b.fault(killed, 1, 1, "c1", 10, -1) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			got := checker.Check(b.history(t), tt.opt, nil).Warnings
			ok := len(got) == len(tt.want)
			for i := range min(len(got), len(tt.want)) {
				ok = ok && strings.HasPrefix(got[i], tt.want[i])
			}
			if !ok {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestNotApplicable: a property that the lock does not promise is neither kept nor unknown,
// but what was violated is.
func TestNotApplicable(t *testing.T) {
	free := func() checker.Options { o := bounded; o.FreeWithin = 0; return o }()
	for _, tt := range []struct {
		name, property string
		opt            checker.Options
		inv            checker.Invariant
		make           func(b *build)
		want           string
	}{
		{"no tokens", "fencing", bounded, nil, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, checker.NotApplicable},
		{"tokens", "fencing", tokened, nil, func(b *build) { b.fenced(1, 1, 0, 10, 2000, 7) }, checker.Kept},
		{"a lock that may be taken for ever", "liveness", free, nil, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, checker.NotApplicable},
		{"and yet it must not be renewed for the dead", "liveness", free, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 1000).probe(1100, "p1:1", 3000).probe(2200, "p1:1", 5000).probe(3300, "p1:1", 7000)
		}, checker.Violated},
		{"a lock that must be free again", "liveness", bounded, nil, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, checker.Kept},
		{"a workload without an invariant", "workload", bounded, nil, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, checker.NotApplicable},
		{"a workload with one", "workload", bounded, invariant.Counter{}, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, checker.Kept},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			for _, p := range checker.Check(b.history(t), tt.opt, tt.inv).Properties {
				if p.Name == tt.property && (p.Status != tt.want || (p.Reason != "") != (tt.want == checker.NotApplicable)) {
					t.Errorf("%s %s: %s, want %s", p.Name, p.Status, p.Reason, tt.want)
				}
			}
		})
	}
}

// TestBound: the rule of three needs four trials, which are the faults that bit or, where
// there were no faults, the grants.
func TestBound(t *testing.T) {
	grants := func(n int64) func(b *build) {
		return func(b *build) {
			for i := range n {
				b.grant(1, i+1, 100*i, 100*i+10, 100*i+2000).release(i+1, 100*i+20, 100*i+30, history.OK)
			}
		}
	}
	for _, tt := range []struct {
		make func(b *build)
		want string
	}{
		{grants(3), "0 of 3 grants (no fault was injected) led to a violation; the sample is too small for a bound at 95 % confidence"},
		{grants(4), "0 of 4 grants (no fault was injected) led to a violation, so, at 95 % confidence, fewer than 75 % lead to one"},
		{func(b *build) { grants(4)(b); b.fault("partition", 1, 1, "c1", 15, 25) }, "0 of 1 effective faults led to a violation; the sample is too small for a bound at 95 % confidence"},
	} {
		b := newBuild()
		tt.make(b)
		if r := checker.Check(b.history(t), bounded, nil); r.Bound != tt.want {
			t.Errorf("%s: %q, want %q", r.Sentence, r.Bound, tt.want)
		}
	}
}
