package control_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/control"
)

func server(t *testing.T) *control.LocalServer {
	t.Helper()
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func client(t *testing.T, s *control.LocalServer) *control.Local {
	t.Helper()
	c := control.NewLocal(control.LocalConfig{Addr: s.Addr(), Owner: "p1"})
	t.Cleanup(func() { c.Close() })
	return c
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// raw speaks the line protocol itself, so that the test knows when a request
// stands in the queue.
func raw(t *testing.T, s *control.LocalServer) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// say sends lines and reads as many answers; owner questions, which are always
// answered, make sure that what came before was carried out.
func say(t *testing.T, c net.Conn, lines string, answers ...string) {
	t.Helper()
	if _, err := c.Write([]byte(lines)); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, a := range answers {
		want += a + "\n"
	}
	got := make([]byte, len(want))
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	for n := 0; n < len(got); {
		k, err := c.Read(got[n:])
		if n += k; err != nil {
			t.Fatalf("answers %q, then %v; want %q", got[:n], err, want)
		}
	}
	if string(got) != want {
		t.Fatalf("answers %q, want %q", got, want)
	}
}

// leave ends a connection and waits until the server has seen it.
func leave(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Fatalf("the end of a connection is answered by %d bytes, %v, want EOF", n, err)
	}
}

func TestQueueIsFair(t *testing.T) {
	s := server(t)
	holder := raw(t, s)
	say(t, holder, "acquire 1 x h\n", "1 granted 1")
	var waiters []net.Conn
	for i := range 4 {
		w := raw(t, s)
		say(t, w, fmt.Sprintf("acquire 1 x w%d\nowner 2 x\n", i), "2 owner h 1")
		waiters = append(waiters, w)
	}
	say(t, waiters[1], "cancel 1\n", "1 refused")
	leave(t, waiters[2])
	say(t, holder, "release 2 x 1\n", "2 released")
	say(t, waiters[0], "release 3 x 2\n", "1 granted 2", "3 released")
	say(t, waiters[3], "owner 3 x\n", "1 granted 3", "3 owner w3 3")
}

// Only the end of its connection takes a lease from a client.
func TestLeaseBelongsToTheConnection(t *testing.T) {
	s := server(t)
	holder := raw(t, s) // it reads and writes no more, as if it were stopped
	say(t, holder, "acquire 1 x h\n", "1 granted 1")
	c := client(t, s)
	if _, err := c.Acquire(within(t, 100*time.Millisecond), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("acquire while a silent client holds: %v, want ErrNotAcquired", err)
	}
	say(t, raw(t, s), "release 1 x 1\n", "1 not-held") // another's token is no key
	holder.Close()
	if _, err := c.Acquire(within(t, 10*time.Second), "x"); err != nil {
		t.Errorf("acquire after the holder's connection ended: %v", err)
	}
}

// A server that goes leaves a doubt; one that is gone was not asked.
func TestServerGoes(t *testing.T) {
	// One that reads a request and closes the connection without an answer.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = c.Read(make([]byte, 100))
			l.Close()
			c.Close()
		}
	}()
	c := control.NewLocal(control.LocalConfig{Addr: l.Addr().String()})
	defer c.Close()
	if _, err := c.Acquire(within(t, 10*time.Second), "x"); err == nil || errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("acquire whose server went: %v, want an unknown outcome", err)
	}
	if _, err := c.Acquire(within(t, 10*time.Second), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("acquire from a server that is gone: %v, want ErrNotAcquired", err)
	}
}
