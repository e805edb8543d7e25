package locktest_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/etcd"
	"locktorture/locks/thirdparty"
	"locktorture/locks/zookeeper"
)

const benchTTL = 10 * time.Second

// ours and theirs, on the same servers and past the proxies.
func BenchmarkEtcd(b *testing.B) {
	c := startBench(b, "etcd-3")
	benchLocks(b, c, map[string]func() (locks.Locker, error){
		"etcd": func() (locks.Locker, error) {
			return etcd.New(etcd.Config{Endpoints: c.Endpoints(0), TTL: benchTTL})
		},
		"etcd-concurrency": func() (locks.Locker, error) {
			return thirdparty.NewEtcdConcurrency(thirdparty.EtcdConfig{Endpoints: c.Endpoints(0), TTL: benchTTL})
		},
	}, nil)
}

func BenchmarkZooKeeper(b *testing.B) {
	c := startBench(b, "zookeeper-3")
	// All clients go to one server: whether that leads or follows is half of the
	// latency, and each would choose at random.
	leader, err := c.Leader(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	one := c.Endpoints(0)[leader : leader+1]
	cfg := zookeeper.Config{Endpoints: one, TTL: benchTTL}
	benchLocks(b, c, map[string]func() (locks.Locker, error){
		"zookeeper":      func() (locks.Locker, error) { return zookeeper.New(cfg), nil },
		"zookeeper-herd": func() (locks.Locker, error) { return zookeeper.NewHerd(cfg), nil },
		"gozk": func() (locks.Locker, error) {
			return thirdparty.NewGozk(thirdparty.GozkConfig{Endpoints: one, TTL: benchTTL}), nil
		},
	}, zooKeeperPackets)
}

func startBench(b *testing.B, topology string) *cluster.Cluster {
	b.Helper()
	return start(b, topology).cluster
}

// benchLocks measures an acquire and release of a free lock, and a hand-over
// with waiters. packets, if not nil, counts what the servers received.
func benchLocks(b *testing.B, c *cluster.Cluster, kinds map[string]func() (locks.Locker, error), packets func(testing.TB, *cluster.Cluster) int) {
	for _, waiters := range []int{0, 2, 10, 50} {
		for name, open := range kinds {
			b.Run(fmt.Sprintf("lock=%s/waiters=%d", name, waiters), func(b *testing.B) {
				var clients []locks.Locker
				for range waiters + 1 {
					l, err := open()
					if err != nil {
						b.Fatal(err)
					}
					defer l.Close()
					warm(b, l, fmt.Sprint("warm", len(clients)))
					clients = append(clients, l)
				}
				before := 0
				if packets != nil {
					before = packets(b, c)
				}
				b.ResetTimer()
				turns(b, clients, fmt.Sprint(name, waiters))
				b.StopTimer()
				if packets != nil {
					b.ReportMetric(float64(packets(b, c)-before)/float64(b.N), "packets/op")
				}
			})
		}
	}
}

// warm opens the client's session.
func warm(b *testing.B, l locks.Locker, name string) {
	b.Helper()
	lease, err := l.Acquire(b.Context(), name)
	if err == nil {
		err = lease.Release(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// turns lets the clients take turns at one lock, b.N in all.
func turns(b *testing.B, clients []locks.Locker, name string) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	for _, l := range clients {
		wg.Go(func() {
			for left.Load() > 0 {
				lease, err := l.Acquire(b.Context(), name)
				if err != nil {
					b.Error(err)
					return
				}
				left.Add(-1)
				if err := lease.Release(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// zooKeeperPackets counts the requests that clients have sent to all servers.
func zooKeeperPackets(tb testing.TB, c *cluster.Cluster) int {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	sum := 0
	for _, n := range c.Nodes {
		answer, err := cluster.AskServing(ctx, n.Addr(), "mntr")
		if err != nil {
			tb.Fatal(err)
		}
		for line := range strings.Lines(answer) {
			if v, ok := strings.CutPrefix(line, "zk_packets_received\t"); ok {
				k, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
				if err != nil {
					tb.Fatal(err)
				}
				sum += int(k)
			}
		}
	}
	return sum
}
