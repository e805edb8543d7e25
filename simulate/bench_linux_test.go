package simulate_test

import (
	"os/exec"
	"sync"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
)

// Each figure stands beside what it comes to in round trips between two processes, and in starts of
// a process, on the same machine a moment before: machines differ.

// BenchmarkRun tells how many virtual seconds a second of processor plays: three clients, TTL
// 2 s, holds of 100 ms.
func BenchmarkRun(b *testing.B) {
	for _, backend := range []string{"redis-set", "redlock", "redsync", "rueidislock"} {
		o := order(backend, 1)
		o.TTL, o.Hold, o.Duration, o.FreeWithin = 2*time.Second, "100ms", 10*time.Second, 6*time.Second
		b.Run(backend, func(b *testing.B) { cost(b, onRedis(b, o)) })
	}
	o := onEtcd("etcd", 3, promised, 1)
	o.Hold, o.Duration = "100ms", 10*time.Second
	b.Run("etcd", func(b *testing.B) { cost(b, func() time.Duration { return virtual(playEtcd(b.Context(), b, o)) }) })
}

// BenchmarkShort tells how many runs a minute of processor plays: two clients for two seconds,
// TTL 500 ms, holds of 50 ms.
func BenchmarkShort(b *testing.B) {
	for _, backend := range []string{"redis-set", "redlock", "rueidislock"} {
		o := order(backend, 1)
		o.Clients, o.Hold, o.Think, o.Duration = 2, "50ms", "20ms", 2*time.Second
		b.Run(backend, func(b *testing.B) { cost(b, onRedis(b, o)) })
	}
}

// BenchmarkWorld starts three servers of etcd, of which one is elected, and plays one section.
func BenchmarkWorld(b *testing.B) {
	o := onEtcd("etcd", 3, promised, 1)
	o.Clients, o.Sections = 1, 1
	cost(b, func() time.Duration { return virtual(playEtcd(b.Context(), b, o)) })
}

// onRedis returns a function that plays an order and returns how long it took in virtual time.
func onRedis(b *testing.B, o inside.Order) func() time.Duration {
	p, on := guest(b), servers(b, o.Backend)
	return func() time.Duration { return virtual(play(b, p, on, o)) }
}

func virtual(_ history.History, r *simulate.Result) time.Duration { return r.Virtual }

// cost plays runs and reports what they cost. run returns the virtual time of one.
func cost(b *testing.B, run func() time.Duration) {
	trip, start := yardsticks(b)
	run() // the first process takes the snapshot
	var played time.Duration
	runs, before := 0.0, processor(b)
	for b.Loop() {
		played += run()
		runs++
	}
	took := (processor(b) - before).Seconds()
	b.ReportMetric(played.Seconds()/took, "virtual-s/cpu-s")
	b.ReportMetric(runs/took*60, "runs/cpu-min")
	b.ReportMetric(took/played.Seconds()/trip.Seconds(), "round-trips/virtual-s")
	b.ReportMetric(took/runs/start.Seconds(), "forks/run")
}

// yardsticks returns the processor time of a round trip between two processes, and of the start and
// the end of a process.
func yardsticks(b *testing.B) (trip, start time.Duration) {
	m := measuredYardsticks()
	must(b, m.err)
	return m.trip, m.start
}

type yardstick struct {
	trip, start time.Duration
	err         error
}

var measuredYardsticks = sync.OnceValue(func() (m yardstick) {
	m.trip, m.err = roundTrip(20_000)
	if m.err == nil {
		m.start, m.err = forks(500)
	}
	return m
})

// roundTrip sends a byte to another process and back, n times, and returns the processor time of one.
func roundTrip(n int) (time.Duration, error) {
	cat := exec.Command("cat")
	in, err := cat.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cat.StdoutPipe()
	if err != nil {
		return 0, err
	}
	before := usage()
	if err := cat.Start(); err != nil {
		return 0, err
	}
	message := []byte{1}
	for range n {
		if _, err = in.Write(message); err == nil {
			_, err = out.Read(message)
		}
		if err != nil {
			break
		}
	}
	in.Close()
	if over := cat.Wait(); err == nil {
		err = over
	}
	return (usage() - before) / time.Duration(n), err
}

// forks starts a process and waits for its end, n times, and returns the processor time of one.
func forks(n int) (time.Duration, error) {
	before := usage()
	for range n {
		if err := exec.Command("true").Run(); err != nil {
			return 0, err
		}
	}
	return (usage() - before) / time.Duration(n), nil
}

// BenchmarkStart starts a driver that waits for its first request.
func BenchmarkStart(b *testing.B) {
	p := guest(b)
	_, start := yardsticks(b)
	n, before := 0.0, time.Now()
	for b.Loop() {
		n++
		q, err := p.Start(b.Context(), still{}, []string{"guest", "driver"}, []string{"GOGC=off"})
		must(b, err)
		q.Step()
		must(b, q.Close(b.Context()))
	}
	b.ReportMetric(time.Since(before).Seconds()/n/start.Seconds(), "forks/op")
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
