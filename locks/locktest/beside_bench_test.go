package locktest_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/etcd"
	"locktorture/locks/thirdparty"
	"locktorture/locks/zookeeper"
)

// BenchmarkBeside lets each client take and give back a lock of ours, then one of a library's,
// and so on: whatever else the machine does hits both. Client n talks to the same server with
// both.
func BenchmarkBeside(b *testing.B) {
	const ours, theirs = 0, 1
	for _, tt := range []struct {
		name, topology string
		open           func(which int, endpoints []string, client int) (locks.Locker, error)
	}{
		{"etcd beside etcd-concurrency", "etcd-3", func(which int, endpoints []string, _ int) (locks.Locker, error) {
			if which == ours {
				return etcd.New(etcd.Config{Endpoints: endpoints, TTL: benchTTL})
			}
			return thirdparty.NewEtcdConcurrency(thirdparty.EtcdConfig{Endpoints: endpoints, TTL: benchTTL})
		}},
		{"zookeeper beside gozk", "zookeeper-3", func(which int, endpoints []string, client int) (locks.Locker, error) {
			one := endpoints[client%3 : client%3+1] // whether it leads is half of the latency
			if which == ours {
				return zookeeper.New(zookeeper.Config{Endpoints: one, TTL: benchTTL}), nil
			}
			return thirdparty.NewGozk(thirdparty.GozkConfig{Endpoints: one, TTL: benchTTL}), nil
		}},
	} {
		c := startBench(b, tt.topology)
		for _, n := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", tt.name, n), func(b *testing.B) {
				var mu sync.Mutex
				var took [2][]time.Duration
				var all sync.WaitGroup
				for i := range n {
					var pair [2]locks.Locker
					for which := range pair {
						l, err := tt.open(which, c.Endpoints(0), i)
						if err != nil {
							b.Fatal(err)
						}
						defer l.Close()
						warm(b, l, fmt.Sprint(which, " ", i))
						pair[which] = l
					}
					all.Go(func() {
						for r := range max(1, b.N/n) {
							which := r % 2
							begin := time.Now()
							if err := round(b.Context(), pair[which], fmt.Sprint(which, " ", i)); err != nil {
								b.Error(err)
								return
							}
							d := time.Since(begin)
							mu.Lock()
							took[which] = append(took[which], d)
							mu.Unlock()
						}
					})
				}
				all.Wait()
				middle := func(d []time.Duration) float64 {
					if len(d) == 0 {
						return 0
					}
					slices.Sort(d)
					return float64(d[len(d)/2].Microseconds())
				}
				b.ReportMetric(middle(took[ours]), "µs-ours")
				b.ReportMetric(middle(took[theirs]), "µs-theirs")
			})
		}
	}
}

// round takes a lock and gives it back.
func round(ctx context.Context, l locks.Locker, name string) error {
	lease, err := l.Acquire(ctx, name)
	if err != nil {
		return err
	}
	return lease.Release(ctx)
}
