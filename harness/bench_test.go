package harness_test

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// oneRedis starts a Redis and says how its lock is opened.
func oneRedis(tb testing.TB) driver.Open {
	tb.Helper()
	c, err := cluster.Start(context.Background(), "redis", process.New("../bin/servers"), 1, "")
	if err != nil {
		tb.Fatalf("%v (make servers)", err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return driver.Open{Backend: "redis-set", Endpoints: c.Endpoints(0), TTL: 10 * time.Second}
}

// emptySections is a workload of sections without work, so that what is left
// is the lock and the harness.
type emptySections struct{ left *int }

func (emptySections) Init(context.Context, workloads.Store) error { return nil }

func (w emptySections) Next(*rand.Rand, int) workloads.Section {
	s := workloads.Section{Locks: []string{"bench"}, Run: func(context.Context, workloads.Store) error { return nil }}
	if *w.left--; *w.left < 0 {
		s.Think = time.Hour // the run is over
	}
	return s
}

// BenchmarkOverhead compares the throughput of redis-set, uncontended and in
// this process, in a bare loop and under the harness, which records it. The
// two take turns; the ratio is the median of those of the turns.
func BenchmarkOverhead(b *testing.B) {
	o := oneRedis(b)
	const sections = 500
	var bare, run, ratio, loose []float64
	for b.Loop() {
		one, other := sections/bareLoop(b, o, sections, time.Minute).Seconds(), sections/underHarness(b, o, sections).Seconds()
		bare, run, ratio = append(bare, one), append(run, other), append(ratio, other/one)
		loose = append(loose, other*bareLoop(b, o, sections, 0).Seconds()/sections)
	}
	b.ReportMetric(median(bare), "bare/s")
	b.ReportMetric(median(run), "harness/s")
	b.ReportMetric(100*median(ratio), "%of-bare")
	b.ReportMetric(100*median(loose), "%of-bare-without-deadlines")
	b.ReportMetric(0, "ns/op")
}

// bareLoop acquires and releases, each within a time limit as any program has
// one; 0 is none.
func bareLoop(b *testing.B, o driver.Open, n int, limit time.Duration) time.Duration {
	l, err := open(b.Context(), o, &locks.SkewedClock{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	start := time.Now()
	bounded := func() (context.Context, context.CancelFunc) {
		if limit == 0 {
			return b.Context(), func() {}
		}
		return context.WithTimeout(b.Context(), limit)
	}
	for range n {
		ctx, cancel := bounded()
		lease, err := l.Acquire(ctx, "bench")
		cancel()
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel = bounded()
		err = lease.Release(ctx)
		cancel()
		if err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}

func underHarness(b *testing.B, o driver.Open, n int) time.Duration {
	begin := time.Now()
	now := func() int64 { return int64(time.Since(begin)) }
	rec := history.NewRecorder(io.Discard, now)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	released := 0
	var first, last int64
	record := func(op history.Op) (history.Op, error) {
		op, err := rec.Record(op)
		if first == 0 {
			first = op.Time
		}
		if op.F == history.Release && op.Type == history.OK {
			if released++; released == n {
				last = op.Time
				cancel()
			}
		}
		return op, err
	}
	left := n
	run, err := harness.New(harness.Config{
		Clients: 1, Duration: time.Hour, TTL: o.TTL, FreeWithin: time.Second, Fencing: harness.FencingOff,
		Workload: emptySections{&left}, Resource: &workloads.Memory{}, Traits: redis.SetTraits(),
		Open: inProcess(o), World: &nemesis.World{TTL: o.TTL}, Record: record, Now: now,
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := run.Go(ctx, nil); err != nil {
		b.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		b.Fatal(err)
	}
	return time.Duration(last - first)
}

// BenchmarkDriver says what a process of its own adds to an acquire: median
// and p99 of the same lock in this process and in a child, taking turns.
func BenchmarkDriver(b *testing.B) {
	o := oneRedis(b)
	here, err := inProcess(o)(b.Context(), 1, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer here.Close()
	there, err := isolated(o)(b.Context(), 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	defer there.Close()
	var in, out []float64
	for b.Loop() {
		in = append(in, acquire(b, here))
		out = append(out, acquire(b, there))
	}
	b.ReportMetric(median(in), "in-process-p50-µs")
	b.ReportMetric(quantile(in, 0.99), "in-process-p99-µs")
	b.ReportMetric(median(out), "driver-p50-µs")
	b.ReportMetric(quantile(out, 0.99), "driver-p99-µs")
	b.ReportMetric(median(out)-median(in), "added-p50-µs")
	b.ReportMetric(0, "ns/op")
}

// acquire measures one acquire, in µs.
func acquire(b *testing.B, l locks.Locker) float64 {
	start := time.Now()
	lease, err := l.Acquire(b.Context(), "bench")
	took := time.Since(start)
	if err != nil {
		b.Fatal(err)
	}
	if err := lease.Release(b.Context()); err != nil {
		b.Fatal(err)
	}
	return float64(took.Nanoseconds()) / 1000
}

func median(x []float64) float64 { return quantile(x, 0.5) }

func quantile(x []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}
