package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"locktorture/bench"
	"locktorture/bench/raw"
	"locktorture/cluster"
	"locktorture/cluster/process"
)

// The bare commands of every kind of server are carried out by it: what was taken
// is refused to another and free after the release; and where the server counts,
// it has counted them.
func TestBareCommandsOnServers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		topology string
		kinds    []string
		shared   bool // two may take the same: readers, or the commands queue (ZooKeeper), or wait in the server
		counts   bool
		memory   bool
	}{
		{topology: "redis", kinds: []string{"redis", "redis-del", "redis-setnx", "redis-writer", "redis-semaphore", "redis-permits"}, counts: true, memory: true},
		{topology: "redis", kinds: []string{"redis-reader", "redis-latch"}, shared: true, counts: true, memory: true},
		{topology: "redis-5", kinds: []string{"redis-all"}, counts: true, memory: true},
		{topology: "redis-sentinel", kinds: []string{"redis-sentinel"}, counts: true, memory: true},
		{topology: "redis-cluster", kinds: []string{"redis-cluster"}, counts: true, memory: true},
		{topology: "memcached", kinds: []string{"memcached"}, counts: true, memory: true},
		{topology: "s3", kinds: []string{"s3"}},
		{topology: "mariadb", kinds: []string{"mysql", "mysql-get-lock"}, counts: true},
		{topology: "mariadb", kinds: []string{"mysql-for-update", "mysql-update", "mysql-share"}, shared: true, counts: true},
		{topology: "postgres", kinds: []string{"postgres", "postgres-shared"}, shared: true, counts: true},
		{topology: "zookeeper-3", kinds: []string{"zookeeper"}, shared: true, counts: true, memory: true},
		{topology: "etcd-3", kinds: []string{"etcd"}, counts: true},
		{topology: "etcd-3", kinds: []string{"etcd-reader", "etcd-party", "etcd-gate"}, shared: true, counts: true},
		{topology: "consul-3", kinds: []string{"consul", "consul-cas"}, counts: true},
	} {
		t.Run(row.topology+"/"+strings.Join(row.kinds, ","), func(t *testing.T) {
			c, err := cluster.StartConfig(t.Context(), cluster.Config{
				Topology: row.topology, Provisioner: process.New("../bin/servers"), Args: bench.ServerArgs(),
			})
			if err != nil {
				t.Fatalf("%v (make servers)", err)
			}
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
			var servers []bench.Server
			for _, n := range c.Nodes {
				kind, _, _ := strings.Cut(n.Name(), "-")
				servers = append(servers, bench.Server{Kind: kind, Addr: n.Addr()})
			}
			gauge := bench.GaugeOf(servers)
			t.Cleanup(func() {
				if err := gauge.Close(); err != nil {
					t.Error(err)
				}
			})
			if (gauge.Commands != nil) != row.counts || (gauge.Memory != nil) != row.memory {
				t.Errorf("commands are counted: %v, memory: %v", gauge.Commands != nil, gauge.Memory != nil)
			}
			for _, kind := range row.kinds {
				checkBare(t, kind, raw.Config{Endpoints: c.Endpoints(0), TTL: time.Minute}, row.shared, gauge)
			}
		})
	}
}

func checkBare(t *testing.T, kind string, cfg raw.Config, shared bool, gauge bench.Gauge) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	k, ok := raw.Kinds()[kind]
	if !ok {
		t.Fatalf("no kind %q", kind)
	}
	one, err := k.Open(ctx, cfg)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	defer one.Close()
	other, err := k.Open(ctx, cfg)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	defer other.Close()
	before := figure(t, gauge.Commands)
	for i := range 20 {
		l, err := one.Acquire(ctx, fmt.Sprint("n", i%2))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if !shared && i < 2 {
			if _, err := other.Acquire(ctx, fmt.Sprint("n", i%2)); err == nil {
				t.Errorf("%s: taken twice", kind)
			}
		}
		if err := l.Release(ctx); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
	}
	if after := figure(t, gauge.Commands); gauge.Commands != nil && after-before < 40 {
		t.Errorf("%s: %d commands were counted for 20 that take and 20 that free", kind, after-before)
	}
	if figure(t, gauge.Memory) < 0 {
		t.Errorf("%s: memory is negative", kind)
	}
}

// figure reads a counter; 0 if there is none.
func figure(t *testing.T, c bench.Counter) int64 {
	t.Helper()
	if c == nil {
		return 0
	}
	n, err := c(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
