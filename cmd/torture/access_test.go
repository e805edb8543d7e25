package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	theirs "locktorture/cluster/external"
	"locktorture/locks"
	"locktorture/registry"
)

// firstBytes returns what the first client of a listener says.
func firstBytes(t *testing.T) (addr string, said <-chan []byte) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	heard := make(chan []byte, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 8)
			n, _ := conn.Read(b)
			conn.Close()
			select {
			case heard <- b[:n]:
			default:
			}
		}
	}()
	return l.Addr().String(), heard
}

// TestEveryBackendTakesAccess opens each lock with TLS: it must begin with that. One that
// forgets its access would send a password in clear, or never get in.
func TestEveryBackendTakesAccess(t *testing.T) {
	for name, b := range registry.Locks() {
		if b.Serve != nil || theirs.Serves(b.Topology) != nil || strings.HasPrefix(b.Topology, "mariadb") { // whose server speaks first
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, said := firstBytes(t)
			endpoint := addr
			switch b.Topology {
			case "redis-sentinel":
				endpoint = "sentinel@" + addr
			case "redis-cluster":
				endpoint = "redis@" + addr
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // its driver may have to be built first
			defer cancel()
			opened := make(chan error, 1)
			go func() {
				l, err := b.Open(ctx, registry.Args{
					Endpoints: []string{endpoint}, TTL: time.Second, Owner: "p1", Prefix: "p:", Clock: locks.SystemClock{},
					Access: &locks.Access{TLS: &locks.TLS{}, Names: map[string]string{}},
				})
				opened <- err // it may have dialled already: there is no server
				if err != nil {
					return
				}
				defer l.Close()
				kind, _ := locks.KindOf(b.Traits.Kind)
				if b.Traits.Kind == locks.CountDownLatch {
					_ = l.(locks.Latch).SetCount(ctx, "a", 1)
					return
				}
				_, _ = locks.Take(ctx, l, "a", kind.Whole)
			}()
			select {
			case b := <-said:
				hello, asksForTLS := len(b) > 0 && b[0] == 0x16, fmt.Sprintf("%x", b) == "0000000804d2162f"
				if !hello && !asksForTLS {
					t.Errorf("it begins with %q, which is no TLS", b)
				}
			case <-ctx.Done():
				select {
				case err := <-opened:
					t.Errorf("it did not dial; opening it: %v", err)
				default:
					t.Error("it did not dial, and was never opened")
				}
			}
		})
	}
}
