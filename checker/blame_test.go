package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// stale has a stale write refused by the fenced store: lease 2 is granted at a
// moment, and lease 1 was promised until 2 s.
func stale(granted int64) func(b *build) {
	return func(b *build) {
		b.start(fencedS, "counter", "0").fenced(1, 1, 0, 10, 2000, 33)
		b.fenced(2, 2, 0, granted, 4000, 34).store(2, fencedS, history.Read, "counter", "0", 2200, 2201)
		b.stale(1, "counter", "1", 2300, 2301)
	}
}

// unsound is stale, and then a grant with a token that is smaller than both: its holder is
// refused by the fenced store, though nobody has been granted the lock since.
func unsound(b *build) {
	stale(2000)(b)
	b.release(2, 2400, 2410, history.OK).fenced(3, 3, 2420, 2430, 4400, 1).stale(3, "counter", "1", 2440, 2450)
}

// TestUnsoundTokensAreSaid: the headline names them, and who had the newest grant is told from
// those whose operations were stale.
func TestUnsoundTokensAreSaid(t *testing.T) {
	b := newBuild()
	unsound(b)
	r := checker.Check(b.history(t), tokened, invariant.Counter{})
	if !strings.Contains(r.Headline, "unsound tokens: 1 token-regression, 1 fence-lockout") {
		t.Errorf("headline: %s", r.Headline)
	}
	for _, s := range r.Stores {
		if s.Store == fencedS && (s.Refused != 2 || s.LockedOut != 1) {
			t.Errorf("refused %d, of which %d are the current holder's; want 2 and 1", s.Refused, s.LockedOut)
		}
	}
}

// TestBrokenBy: a fenced tells a lock that broke its promise, which fails a
// run, from a holder that overstayed, which does not.
func TestBrokenBy(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opt    checker.Options
		make   func(b *build)
		grade  checker.Grade
		by     checker.Breaker
		failed bool
		says   string
	}{
		{"granted when the promise ended, the holder overstayed", tokened, stale(2000),
			checker.FencedG, checker.TheHolder, false, "fenced: the holder overstayed: 1 overrun; the tokens grew"},
		{"granted 1 ms before, the lock broke its promise", tokened, stale(1999),
			checker.FencedG, checker.TheLock, true, "fenced: the lock broke its promise: 1 double-grant, 1 overrun; the tokens grew"},
		{"a validity that is not true, and a holder that overstayed", tokened, func(b *build) {
			stale(2000)(b)
			b.probe(101, "p1:1", 800).probe(102, "p1:1", 801)
		}, checker.FencedG, checker.TheLock, true, "1 false-validity, 1 overrun"},
		{"a grant that was void, and a holder that overstayed", tokened, func(b *build) {
			stale(2000)(b)
			b.fenced(3, 3, 2400, 2410, 0, 35).over(3, 2411, 2412)
		}, checker.FencedG, checker.TheLock, true, "1 void-grant, 1 overrun"},
		{"a late notice", func() checker.Options { o := watched; o.Tokens = true; return o }(), func(b *build) {
			b.start(fencedS, "counter", "0").fenced(1, 1, 0, 10, 0, 33).fenced(2, 2, 0, 1000, 0, 34)
			b.store(2, fencedS, history.Read, "counter", "0", 1200, 1201).stale(1, "counter", "1", 1300, 1301).lost(1, 1400)
		}, checker.FencedG, checker.TheLock, true, "1 late-notice"},
		{"nothing put the fence to the test", tokened, func(b *build) {
			b.start(fencedS, "counter", "0").fenced(1, 1, 0, 10, 2000, 33).store(1, fencedS, history.Read, "counter", "0", 20, 21)
			b.fenced(2, 2, 0, 1999, 4000, 34)
		}, checker.Unknown, checker.TheLock, true, "unknown: the lock broke its promise: 1 double-grant"},
		{"nor here, but the holder is to blame", tokened, func(b *build) {
			b.start(fencedS, "counter", "0").fenced(1, 1, 0, 10, 2000, 33).store(1, fencedS, history.Read, "counter", "0", 20, 21)
			b.store(1, fencedS, history.Read, "counter", "0", 2001, 2002)
		}, checker.Unknown, checker.TheHolder, false, "unknown: the holder overstayed: 1 overrun"},
		{"without tokens, by the holder", bounded, func(b *build) { sections(b, plain, true) },
			checker.Unsafe, checker.TheHolder, true, "unsafe: the holder overstayed: 1 overrun, 1 lost-update; this lock issues no fencing tokens"},
		{"without tokens, by the lock", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 0, 20, 2000) },
			checker.Unsafe, checker.TheLock, true, "unsafe: the lock broke its promise: 1 double-grant; this lock issues no fencing tokens"},
		{"unsound tokens are the lock's", tokened, func(b *build) {
			b.fenced(1, 1, 0, 10, 1000, 34).release(1, 20, 30, history.OK).fenced(2, 2, 40, 50, 1000, 33)
		}, checker.Unsafe, checker.TheLock, true, "unsafe: the lock broke its promise: 1 token-regression; the fence is unsound"},
		{"and beside a holder that overstayed, too", tokened, unsound,
			checker.Unsafe, checker.TheLock, true, "unsafe: the lock broke its promise: 1 overrun, 1 token-regression, 1 fence-lockout"},
		{"nothing", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000) }, checker.Safe, checker.Nobody, false, "safe"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			r := checker.Check(b.history(t), tt.opt, invariant.Counter{})
			if r.Grade != tt.grade || r.BrokenBy != tt.by || r.Failed != tt.failed || !strings.Contains(r.Sentence, tt.says) {
				t.Errorf("%s by %q, failed %v: %s\nwant %s by %q, failed %v, %q", r.Grade, r.BrokenBy, r.Failed, r.Sentence, tt.grade, tt.by, tt.failed, tt.says)
			}
		})
	}
}

// TestPromisesAreNeeded: a lock that never tells how long its leases are valid
// promises nothing that could be broken.
func TestPromisesAreNeeded(t *testing.T) {
	o := bounded
	o.MinGrants = 2
	two := func(until int64) checker.Result {
		b := newBuild()
		b.grant(1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).grant(2, 2, 40, 50, until).release(2, 60, 70, history.OK)
		return checker.Check(b.history(t), o, nil)
	}
	if r := two(2050); r.Grade != checker.Safe {
		t.Errorf("two that told: %s", r.Sentence)
	}
	if r := two(0); r.Grade != checker.Unknown || !strings.Contains(r.Reason, "only 1 of 2 grants reported a validity, but at least 2 must") {
		t.Errorf("one that told: %s", r.Sentence)
	}
}

func TestExpectation(t *testing.T) {
	found := func(g checker.Grade, kinds ...string) checker.Result {
		r := checker.Result{Grade: g, Counts: checker.Counts{Anomalies: map[string]int{}}}
		for _, k := range kinds {
			r.Counts.Anomalies[k]++
			if k == "deadlock" {
				r.Properties = append(r.Properties, checker.Property{Name: "liveness", Anomalies: []checker.Anomaly{{Kind: k}}})
			}
		}
		return r
	}
	for _, tt := range []struct {
		name, expect string
		result       checker.Result
		want         string
	}{
		{"the holder's overrun, as expected", "fenced+overrun", found(checker.FencedG, "overrun"), ""},
		{"the lock broke its promise, too", "fenced+overrun", found(checker.FencedG, "overrun", "double-grant"), "unexpected double-grant: the lock broke its promise"},
		{"it may", "fenced", found(checker.FencedG, "overrun", "double-grant"), ""},
		{"it must", "fenced+double-grant", found(checker.FencedG, "overrun"), "expected double-grant, none was found"},
		{"it must, and did", "fenced+double-grant", found(checker.FencedG, "overrun", "double-grant"), ""},
		{"and in another way", "fenced+double-grant", found(checker.FencedG, "void-grant", "double-grant"), ""},
		{"both are named", "fenced+overrun+late-notice", found(checker.FencedG, "overrun", "late-notice"), ""},
		{"unsafe is unsafe", "unsafe+overrun", found(checker.Unsafe, "overrun", "double-grant"), ""},
		{"what stands beside is named", "fenced+double-grant", found(checker.FencedG, "double-grant", "deadlock"), "unexpected deadlock"},
		{"another grade", "fenced", found(checker.Safe), "expected fenced, got safe"},
	} {
		e, err := checker.ParseExpectation(tt.expect)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Differs(tt.result); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, expect := range []string{"safe", "fenced+overrun"} {
		e, _ := checker.ParseExpectation(expect)
		if e.Unexpected(found(checker.Unknown, "double-grant")) == "" {
			t.Errorf("%s: a broken promise is not unexpected", expect)
		}
	}
}
