package external_test

import (
	"crypto/tls"
	"net"
	"path/filepath"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/clustertest"
	"locktorture/cluster/external"
	"locktorture/cluster/toxiproxy"
	"locktorture/harness"
)

// TestSlowStore: each look at an object store is a request of its own, so a slow store looks slow
// every time.
func TestSlowStore(t *testing.T) {
	c, err := cluster.Start(t.Context(), "s3", clustertest.Servers(filepath.Join("..", "..", "bin", "servers")), 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	joined, err := external.Join(t.Context(), external.Config{
		Topology: "s3", Endpoints: []string{c.Link(1, 0).Addr()}, Clients: 1, Forward: toxiproxy.Forward, Prefix: "slow", Database: "torture",
		Dial: new(net.Dialer).DialContext, TLS: func(string) (*tls.Config, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Link(1, 0).Slow(300*time.Millisecond, 0); err != nil {
		t.Fatal(err)
	}
	node := joined.Nodes[0].(harness.Spared)
	for n := range 5 {
		begin := time.Now()
		if err := node.Look(t.Context()); err != nil || time.Since(begin) < 250*time.Millisecond {
			t.Errorf("look %d took %v: %v", n, time.Since(begin), err)
		}
	}
	if every := node.LookEvery(); every != time.Second {
		t.Errorf("a look every %v, want one a second", every)
	}
	if err := c.Link(1, 0).Heal(); err != nil {
		t.Error(err)
	}
	if err := joined.Close(); err != nil {
		t.Error(err)
	}
}
