package linear_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
)

func BenchmarkCheck(b *testing.B) {
	for _, model := range []string{"mutex", "fenced", "lease", "timed-lease", "rwlock", "register", "counter",
		"timed-rwlock", "timed-semaphore", "latch", "barrier", "election"} {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("checker=%s/clients=10/ops=%d", model, n), func(b *testing.B) {
				cfg := gen.Config{Model: model, Processes: 10, Operations: n, MinStep: 1, MaxStep: 1000, TTL: 100_000, Tries: 0.5, Unknown: 0.05, Reads: 0.2}
				ops := gen.History(rand.New(rand.NewPCG(1, 1)), cfg)
				b.ReportAllocs()
				for b.Loop() {
					if v := linear.Check(ops, model, cfg.Options()); v.Outcome != linear.Valid {
						b.Fatal(v)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ops)), "ns/operation")
			})
		}
	}
}
