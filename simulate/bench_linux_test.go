package simulate_test

import (
	"testing"
	"time"

	"locktorture/simulate/machine"
)

// BenchmarkRun tells how many virtual seconds a second of this machine plays: three clients, TTL 2 s, holds of 100 ms.
func BenchmarkRun(b *testing.B) {
	p := guest(b)
	for _, backend := range []string{"redis-set", "redlock", "redsync", "rueidislock"} {
		b.Run(backend, func(b *testing.B) {
			on := servers(b, backend)
			o := order(backend, 1)
			o.TTL, o.Hold, o.Duration, o.FreeWithin = 2*time.Second, "100ms", 10*time.Second, 6*time.Second
			var virtual time.Duration
			before := processor(b)
			for b.Loop() {
				_, r := play(b, p, on, o)
				virtual += r.Virtual
			}
			b.ReportMetric(virtual.Seconds()/(processor(b)-before).Seconds(), "virtual-s/cpu-s")
		})
	}
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
