package cluster_test

import (
	"fmt"
	"net"
	"testing"

	"locktorture/cluster"
)

// Two clusters never get the same port, also while nobody listens on it, and
// what is given up can be had again.
func TestPorts(t *testing.T) {
	var a, b cluster.Ports // both begin at the same place
	seen := map[int]bool{}
	for _, p := range []*cluster.Ports{&a, &b, &a, &b} {
		port, err := p.Reserve()
		must(t, err)
		if seen[port] || port < 1024 || port > 32767 {
			t.Errorf("got port %d after %v", port, seen)
		}
		seen[port] = true
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Errorf("reserved, but not free: %v", err)
			continue
		}
		l.Close()
	}
	must(t, a.Close())
	must(t, b.Close())
	var c cluster.Ports
	port, err := c.Reserve()
	must(t, err)
	if !seen[port] {
		t.Errorf("got %d, none of those that were given up: %v", port, seen)
	}
	must(t, c.Close())
}

// A port on which a stranger listens is not given out.
func TestPortsTaken(t *testing.T) {
	var a, b cluster.Ports
	port, err := a.Reserve()
	must(t, err)
	must(t, a.Close())
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	must(t, err)
	defer l.Close()
	got, err := b.Reserve()
	must(t, err)
	defer b.Close()
	if got == port {
		t.Errorf("got %d, on which somebody listens", got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
