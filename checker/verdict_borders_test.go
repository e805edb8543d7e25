package checker_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
	"locktorture/timeline"
)

// TestEachWithinBounds: each figure of an entry is brought within the bounds by itself, and
// what is within them stays as it is.
func TestEachWithinBounds(t *testing.T) {
	const latest = int64(1) << 61
	in := history.History{
		{Time: 5, UntilMin: 6, UntilMax: 7}, {Time: latest, UntilMin: latest, UntilMax: latest},
		{Time: latest + 1, UntilMin: 6, UntilMax: 7}, {Time: 5, UntilMin: latest + 1, UntilMax: 7}, {Time: 5, UntilMin: 6, UntilMax: latest + 1},
		{Time: -1, UntilMin: 6, UntilMax: 7}, {Time: 5, UntilMin: -1, UntilMax: 7}, {Time: 5, UntilMin: 6, UntilMax: math.MinInt64},
	}
	want := history.History{
		in[0], in[1],
		{Time: latest, UntilMin: 6, UntilMax: 7}, {Time: 5, UntilMin: history.Never, UntilMax: 7}, {Time: 5, UntilMin: 6, UntilMax: history.Never},
		{UntilMin: 6, UntilMax: 7}, {Time: 5, UntilMax: 7}, {Time: 5, UntilMin: 6},
	}
	var got history.History
	bounded, _ := timeline.Bounded(in, checker.Options{})
	err := bounded.Each(func(op *history.Op) error {
		got = append(got, *op)
		return nil
	})
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, -want +got\n%s", err, d)
	}
}

// TestTails: rules.md says how long clients must ask for a lock before it counts as
// dead.
func TestTails(t *testing.T) {
	for _, tt := range []struct {
		free, retry, tail, longest time.Duration
	}{
		{10 * time.Second, time.Second, 27 * time.Second, 63 * time.Second},                          // a slack of 1 s
		{time.Second, 0, 4 * time.Second, 7*time.Second + 750*time.Millisecond},                      // 250 ms
		{time.Second, 100 * time.Millisecond, 4200 * time.Millisecond, 8250 * time.Millisecond},      // the retry counts in each
		{0, 0, time.Second + 1000*time.Millisecond, 2*time.Second + 750*time.Millisecond},            // nothing but slack
		{20 * time.Second, 2 * time.Second, 53 * time.Second, (53 + 3*(22+2)) * time.Second},         // twice the limit, twice the notice
		{3 * time.Second, 50 * time.Millisecond, 8300 * time.Millisecond, 18_350 * time.Millisecond}, // as in these tests
	} {
		o := checker.Options{FreeWithin: tt.free, Retry: tt.retry}
		if o.Tail() != tt.tail || o.LongestTail() != tt.longest {
			t.Errorf("free within %s, retry %s: %s and %s, want %s and %s", tt.free, tt.retry, o.Tail(), o.LongestTail(), tt.tail, tt.longest)
		}
	}
}

// TestUnexpectedBeside: what the grade answers for is passed over, what stands after it is
// not.
func TestUnexpectedBeside(t *testing.T) {
	r := checker.Result{Properties: []checker.Property{
		{Name: checker.Exclusion, Anomalies: []checker.Anomaly{{Kind: "overrun"}}},
		{Name: checker.Ownership, Anomalies: []checker.Anomaly{{Kind: "orphan"}}},
	}}
	for text, want := range map[string]string{"unsafe": "unexpected orphan", "unsafe+orphan": ""} {
		e, err := checker.ParseExpectation(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Unexpected(r); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestRanks: the i-th least of many durations is the i-th, where the one before it is another;
// and quantiles are ranks.
func TestRanks(t *testing.T) {
	var s checker.Sample
	for i := range 10_000 {
		s.Add([]int64{1000, 1_000_000}[i/5000])
	}
	if low, high := s.Rank(4999), s.Rank(5000); low > 1010 || high < 990_000 {
		t.Errorf("ranks 4999 and 5000 are %d and %d", low, high)
	}
	b := newBuild()
	for i := range int64(3) {
		b.grant(1, i+1, 1000*i, 1000*i+10*(i+1), 0).release(i+1, 1000*i+50, 1000*i+60, history.OK)
	}
	if q := checker.Check(b.history(t), mutex, nil).Measures.Acquire; q.P50 != 20*ms || q.Max != 30*ms {
		t.Errorf("10, 20 and 30 ms: %+v", q)
	}
}

// TestAnswersOfOthers: what the answers of other recorders leave out is taken from the calls.
func TestAnswersOfOthers(t *testing.T) {
	o := watched
	o.Model = "mutex"
	run(t, []row{
		{"a write whose answer does not repeat the value", bounded, invariant.Counter{}, func(b *build) {
			b.start(plain, "counter", "0").grant(1, 1, 0, 10, 2000).store(1, plain, history.Read, "counter", "0", 20, 21)
			b.store(1, plain, history.Write, "counter", "1", 30, 31).release(1, 40, 41, history.OK)
			for i := range b.h {
				if b.h[i].F == history.Write && b.h[i].Process == 1 && b.h[i].Type == history.OK {
					b.h[i].Value = ""
				}
			}
			b.grant(2, 2, 50, 60, 2000).store(2, plain, history.Read, "counter", "1", 70, 71).store(2, plain, history.Write, "counter", "2", 80, 81).release(2, 90, 91, history.OK)
		}, nil},
		{"a loss that names no lease", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).lost(1, 1000).grant(2, 2, 500, 1500, 0)
			for i := range b.h {
				if b.h[i].F == history.Lost {
					b.h[i].Lease = 0
				}
			}
		}, nil},
		{"a question that the server refused says nothing of the lease", bounded, nil, func(b *build) {
			b.grant(1, 1, 5000, 5010, 0).add(5011, 5012, b.under(1, history.Ask), history.Fail, func(o *history.Op) { o.Refused = history.ByServer })
		}, nil},
		{"a validity without end", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).add(10, 10, b.under(1, history.Ask), history.OK, func(o *history.Op) { o.UntilMin, o.UntilMax = history.Never, history.Never })
			b.probe(111, "p1:1", 800).probe(112, "p1:1", 801).release(1, 500, 510, history.OK)
		}, nil},
	})
}

// TestOneAfterAnother: what excuses one anomaly does not excuse the next.
func TestOneAfterAnother(t *testing.T) {
	one := map[string]int{"void-grant": 1}
	void := func(b *build) *build { return b.grant(1, 1, 5000, 5010, 0).over(1, 5011, 5012) }
	told := func(b *build) *build { return b.grant(1, 1, 5000, 5010, 0).lost(1, 5011) }
	fault := func(b *build, n int, from, to int64) *build { return b.fault("partition", n, 1, "c1", from, to) }
	run(t, []row{
		{"two void grants, the first of which a fault explains", bounded, nil, func(b *build) {
			fault(void(b), 1, 4900, 5100).grant(2, 2, 20000, 20010, 0).over(2, 20011, 20012)
		}, one},
		{"two faults that touch, and a third that explains it", bounded, nil, func(b *build) {
			fault(fault(fault(void(b), 1, 100, 300), 2, 200, 400), 3, 4900, 5100)
		}, nil},
		{"a fault long before, and one after it", bounded, nil, func(b *build) { fault(fault(void(b), 1, 100, 200), 2, 9000, 9100) }, one},
		{"a fault that holds out from the first to after a second", bounded, nil, func(b *build) { fault(fault(void(b), 1, 100, 5100), 2, 200, 300) }, nil},
		{"told its loss before it can be used", watched, nil, func(b *build) { told(b) }, one},
		{"told so beside a stall of a quarter of the TTL", watched, nil, func(b *build) { told(b.stall(4000, 4500)) }, nil},
		{"a stall of 1 ms less", watched, nil, func(b *build) { told(b.stall(4000, 4499)) }, one},
	})
}

// TestSentences: the whole sentence of a verdict, by what was found.
func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		want string
	}{
		{"nothing happened", bounded, func(*build) {}, "unknown: 0 grants, but the minimum is 1; linearizability is unknown: there were no operations"},
		{"nothing was violated", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).release(1, 20, 30, history.OK) }, "safe: no violation in 1 grant; no faults were injected"},
		{"a deadlock beside", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 1000).try(2, 500, 4351, history.Fail, history.ByTime)
		}, "safe, but failed: 1 deadlock; exclusion, fencing and the workload's invariant held in 1 grant; no faults were injected"},
		{"no tokens", bounded, func(b *build) { sections(b, plain, true) }, "unsafe: the holder overstayed: 1 overrun, 1 lost-update; this lock issues no fencing tokens"},
		{"tokens, not used", tokened, func(b *build) { sections(b, plain, true) }, "unsafe: the holder overstayed: 1 overrun, 1 lost-update; the lock's tokens were not used"},
		{"stale, and refused", tokened, func(b *build) { sections(b, fencedS, false).stale(1, "counter", "1", 2300, 2301) }, "fenced: the holder overstayed: 1 overrun; the tokens grew, and the fenced store rejected 1 stale operation and stayed correct"},
		{"the fence was not tested", tokened, func(b *build) { sections(b, fencedS, false).store(1, plain, history.Read, "y", "", 2300, 2301) }, "unknown: the holder overstayed: 1 overrun; exclusion was violated, but no stale operation tested the fence"},
		{"tokens that do not grow", tokened, func(b *build) {
			b.fenced(1, 1, 0, 10, 1000, 34).release(1, 20, 30, history.OK).fenced(2, 2, 40, 50, 1000, 33)
		}, "unsafe: the lock broke its promise: 1 token-regression; the fence is unsound, though no violation of exclusion was found"},
		{"both", tokened, func(b *build) {
			sections(b, fencedS, false).stale(1, "counter", "1", 2300, 2301)
			b.release(2, 2400, 2401, history.OK).fenced(3, 3, 2402, 2410, 4400, 34)
		}, "unsafe: the lock broke its promise: 1 overrun, 1 token-duplicate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			if got := checker.Check(b.history(t), tt.opt, invariant.Counter{}).Sentence; got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestStoresWorkedOn: each store that somebody worked on is judged, whatever is said of the
// others.
func TestStoresWorkedOn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		make    func(b *build)
		correct bool
	}{
		{"the fenced one alone, which is wrong", func(b *build) { sections(b, fencedS, true) }, false},
		{"one read, and one that was refused", func(b *build) {
			b.start(fencedS, "counter", "0").fenced(1, 1, 0, 10, 2000, 33).fenced(2, 2, 2001, 2010, 4000, 34)
			b.store(2, fencedS, history.Read, "counter", "0", 2020, 2021).stale(1, "counter", "1", 2300, 2301)
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			stores := checker.Check(b.history(t), tokened, invariant.Counter{}).Stores
			if len(stores) != 1 || stores[0].Store != fencedS || stores[0].Correct != tt.correct {
				t.Errorf("%+v", stores)
			}
		})
	}
}
