package checker_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestExtremes: figures near 2⁶³ accuse nobody.
func TestExtremes(t *testing.T) {
	forever := func(d time.Duration) checker.Options {
		o := bounded
		o.FreeWithin = d
		return o
	}
	slow := bounded
	slow.Retry = math.MaxInt64
	aged := bounded
	aged.TTL = math.MaxInt64
	dead := func(b *build) {
		b.grant(1, 1, 0, 10, 2000).crash(1, 1000).try(2, 500, 60_000, history.Fail, history.ByServer)
	}
	for _, until := range []int64{math.MaxInt64, math.MaxInt64 - 1, 1 << 62} {
		run(t, []row{{"a validity of 292 years is not over", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0)
			ask := b.under(1, history.Ask)
			b.add(20, 30, ask, history.OK, func(o *history.Op) { o.UntilMin, o.UntilMax = until, until })
			b.store(1, plain, history.Write, "counter", "1", 40, 50).release(1, 60, 70, history.OK)
		}, nil}})
	}
	run(t, []row{
		{"free within 292 years", forever(math.MaxInt64), nil, dead, nil},
		{"within 265 years, the most that a flag takes", forever(2562047 * time.Hour), nil, dead, nil},
		{"within less than nothing: nothing is promised", forever(math.MinInt64), nil, dead, nil},
		{"a retry of 292 years", slow, nil, dead, nil},
		{"a TTL of 292 years", aged, nil, func(b *build) { b.grant(1, 1, 0, 10, 0).release(1, 20, 30, history.OK).grant(2, 2, 40, 50, 0) }, nil},
		{"the clock of the file counts from 1970", bounded, nil, func(b *build) {
			const since = 1_700_000_000_000 // ms
			b.grant(1, 1, since, since+10, since+2000).release(1, since+20, since+30, history.OK)
			b.grant(2, 2, since+40, since+50, since+2040).release(2, since+60, since+70, history.OK).refused(3, since+20, since+21)
		}, nil},
		{"an expiry near the end of time is no renewal of one that has none", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 100)
			for i, until := range []int64{math.MinInt64, math.MaxInt64 - 1, math.MinInt64, math.MaxInt64, 0} {
				b.event(150+100*int64(i), history.Op{F: history.Probe, Process: history.Harness, Lock: "L", Node: "n1", Value: "p1:1", UntilMax: until})
			}
		}, nil},
	})
}

// extremes are figures at which sums and differences leave the range of an int64.
var extremes = []int64{0, 1, -1, 1 << 53, 1 << 61, 1<<61 + 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, -1 << 62}

// FuzzExtremes puts figures near 2⁶³ into random histories. A verdict comes, in
// parts as in one piece, and nothing that was measured is negative.
func FuzzExtremes(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, byte(seed), byte(seed/3), byte(seed/5), byte(seed/7))
	}
	f.Fuzz(func(t *testing.T, seed uint64, often, ttl, free, retry byte) {
		r := rand.New(rand.NewPCG(seed, 1))
		kinds := []checker.Options{bounded, tokened, watched, mutex, boundedToo}
		o := kinds[seed%uint64(len(kinds))]
		h := wild(r, o)
		pick := func() int64 { return extremes[r.IntN(len(extremes))] }
		for i := range h {
			op := &h[i]
			if r.IntN(4+int(often)) > 0 {
				continue
			}
			switch r.IntN(5) {
			case 0:
				op.UntilMin, op.UntilMax = pick(), pick()
			case 1:
				op.Token = uint64(pick())
			case 2:
				if op.Apply > 0 {
					op.Apply = max(1, pick())
				}
			case 3:
				if op.Value != "" && op.Store != "" {
					op.Value = strconv.FormatInt(pick(), 10)
				}
			case 4:
				if at := pick(); at > op.Time && r.IntN(10) == 0 { // all that follows is then as late
					for j := i; j < len(h); j++ {
						h[j].Time = at
					}
				}
			}
		}
		for _, x := range []struct {
			to *time.Duration
			by byte
		}{{&o.TTL, ttl}, {&o.FreeWithin, free}, {&o.Retry, retry}} {
			if int(x.by) < len(extremes) {
				*x.to = time.Duration(extremes[x.by])
			}
		}
		for _, every := range []int{checker.Whole, 10} {
			res, err := checker.JudgeEvery(h, o, invariant.Counter{}, every)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range []checker.Quantiles{res.Measures.Acquire, res.Measures.Hold, res.Measures.Release, res.Measures.Recovery} {
				if q.P50 < 0 || q.Max < 0 {
					t.Errorf("a negative duration: %+v", q)
				}
			}
			if n := res.Counts.Anomalies["deadlock"]; n > 0 && o.FreeWithin > 1<<57 && h[len(h)-1].Time < 1<<57 {
				t.Errorf("%d deadlocks in a run that is shorter than free_within", n)
			}
		}
	})
}
