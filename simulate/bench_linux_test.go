package simulate_test

import (
	"testing"
	"time"

	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
)

// BenchmarkRun tells how many virtual seconds a second of processor plays: three clients, TTL
// 2 s, holds of 100 ms.
func BenchmarkRun(b *testing.B) {
	for _, backend := range []string{"redis-set", "redlock", "redsync", "rueidislock"} {
		o := order(backend, 1)
		o.TTL, o.Hold, o.Duration, o.FreeWithin = 2*time.Second, "100ms", 10*time.Second, 6*time.Second
		b.Run(backend, func(b *testing.B) { cost(b, o) })
	}
}

// BenchmarkShort tells how many runs a minute of processor plays: two clients for two seconds,
// TTL 500 ms, holds of 50 ms.
func BenchmarkShort(b *testing.B) {
	for _, backend := range []string{"redis-set", "redlock", "rueidislock"} {
		o := order(backend, 1)
		o.Clients, o.Hold, o.Think, o.Duration = 2, "50ms", "20ms", 2*time.Second
		b.Run(backend, func(b *testing.B) { cost(b, o) })
	}
}

// cost plays an order and reports what that costs.
func cost(b *testing.B, o inside.Order) {
	p, on := guest(b), servers(b, o.Backend)
	play(b, p, on, o) // the first process takes the snapshot
	var virtual time.Duration
	runs, before := 0.0, processor(b)
	for b.Loop() {
		_, r := play(b, p, on, o)
		virtual += r.Virtual
		runs++
	}
	took := processor(b) - before
	b.ReportMetric(virtual.Seconds()/took.Seconds(), "virtual-s/cpu-s")
	b.ReportMetric(runs/took.Minutes(), "runs/cpu-min")
}

// BenchmarkStart starts a driver that waits for its first request.
func BenchmarkStart(b *testing.B) {
	p := guest(b)
	for b.Loop() {
		q, err := p.Start(b.Context(), still{}, []string{"guest", "driver"}, []string{"GOGC=off"})
		must(b, err)
		q.Step()
		must(b, q.Close(b.Context()))
	}
}

// still is a world in which nothing happens.
type still struct{}

func (still) Now(*machine.Process) (mono, wall int64)             { return 1e9, 1_767_225_600e9 }
func (still) Random(_ *machine.Process, b []byte)                 { clear(b) }
func (still) Dial(*machine.Process, string) *machine.File         { return nil }
func (still) Wrote(_ *machine.Process, _ *machine.File, _ []byte) {}
func (still) Closed(_ *machine.Process, _ *machine.File)          {}
func (still) Ask(*machine.Process, string) int32                  { return 0 }
func (still) Refused(*machine.Process, string)                    {}
