package toxiproxy_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/toxiproxy"
)

// quiet is how long a test listens to find that nothing comes. A thing that
// comes later would be found by the next step, which expects something else.
const quiet = 50 * time.Millisecond

// over runs a test with each of the two forwarders.
func over(t *testing.T, test func(t *testing.T, f cluster.Forwarder)) {
	t.Run("toxiproxy", func(t *testing.T) { test(t, toxiproxy.Forward) })
	t.Run("plain", func(t *testing.T) { test(t, cluster.Plain) })
}

func newLink(t *testing.T, f cluster.Forwarder, upstream string) *cluster.Link {
	t.Helper()
	l, err := cluster.NewLink(f, "127.0.0.1:0", upstream, 1)
	must(t, err)
	t.Cleanup(l.Close)
	return l
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	s, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// echo starts a server that sends back what it gets.
func echo(t *testing.T) string {
	s := listen(t)
	go func() {
		for {
			c, err := s.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	return s.Addr().String()
}

func connect(t *testing.T, l *cluster.Link) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr())
	must(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func accept(t *testing.T, s net.Listener) net.Conn {
	t.Helper()
	must(t, s.(*net.TCPListener).SetDeadline(time.Now().Add(5*time.Second)))
	c, err := s.Accept()
	must(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func send(t *testing.T, c net.Conn, data string) {
	t.Helper()
	if _, err := io.WriteString(c, data); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, c net.Conn, want string) {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
	got := make([]byte, len(want))
	if n, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("received %q (%v), want %q", got[:n], err, want)
	}
}

// silent fails if anything comes, the end included.
func silent(t *testing.T, c net.Conn) {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(quiet)))
	if n, err := c.Read(make([]byte, 100)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("received %d bytes (%v), want silence", n, err)
	}
}

// closed fails unless the other side ends the connection without a word.
func closed(t *testing.T, c net.Conn) {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
	if n, err := c.Read(make([]byte, 100)); n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("received %d bytes (%v), want the end", n, err)
	}
}

func roundTrip(t *testing.T, c net.Conn) time.Duration {
	t.Helper()
	start := time.Now()
	send(t, c, "ping")
	receive(t, c, "ping")
	return time.Since(start)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within two minutes: %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
