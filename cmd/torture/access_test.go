package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	theirs "locktorture/cluster/external"
	"locktorture/internal/testenv"
	"locktorture/locks"
	"locktorture/registry"
)

// firstBytes returns what the first client of a listener says that says anything: a client that has
// waited for its connection until its time was over closes it at once.
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
			if n == 0 {
				continue
			}
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
			ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience) // its driver may have to be built first
			defer cancel()
			args := registry.Args{
				Endpoints: []string{endpoint}, Owner: "p1", Prefix: "p:", Clock: locks.SystemClock{},
				TTL:    time.Minute, // libraries wait for a share of it
				Access: &locks.Access{TLS: &locks.TLS{}, Names: map[string]string{}},
			}
			var opened atomic.Pointer[error] // the latest
			go func() {
				// A client that was kept waiting until its time was over says nothing, and is asked again.
				for ctx.Err() == nil {
					err := opensAndTakes(ctx, b, args)
					opened.Store(&err)
					time.Sleep(100 * time.Millisecond)
				}
			}()
			select {
			case b := <-said:
				hello, asksForTLS := len(b) > 0 && b[0] == 0x16, fmt.Sprintf("%x", b) == "0000000804d2162f"
				if !hello && !asksForTLS {
					t.Errorf("it begins with %q, which is no TLS", b)
				}
			case <-ctx.Done():
				if err := opened.Load(); err != nil {
					t.Errorf("it said nothing; opening it: %v", *err)
				} else {
					t.Error("it said nothing, and was never opened")
				}
			}
		})
	}
}

// opensAndTakes opens a lock and asks for it. It returns an error only if the lock does not open. There is
// no server, so nothing is ever granted.
func opensAndTakes(ctx context.Context, b registry.Backend, args registry.Args) error {
	l, err := b.Open(ctx, args)
	if err != nil {
		return err
	}
	defer l.Close()
	if b.Traits.Kind == locks.CountDownLatch {
		_ = l.(locks.Latch).SetCount(ctx, "a", 1)
		return nil
	}
	kind, _ := locks.KindOf(b.Traits.Kind)
	_, _ = locks.Take(ctx, l, "a", kind.Whole)
	return nil
}
