package toxiproxy_test

import (
	"net"
	"runtime"
	"testing"
	"time"

	"locktorture/cluster"
)

func TestLinkPasses(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		c := connect(t, l)
		send(t, c, "one")
		receive(t, c, "one")
	})
}

// Slow bites in both directions, also below a millisecond, and the heal lets
// go what was on its way.
func TestLinkSlow(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		c := connect(t, l)
		for _, latency := range []time.Duration{500 * time.Microsecond, 20 * time.Millisecond} {
			must(t, l.Slow(latency, 0))
			if took := roundTrip(t, c); took < 2*latency {
				t.Errorf("round trip took %v with %v each way", took, latency)
			}
		}
		must(t, l.Slow(time.Hour, time.Minute))
		send(t, c, "late")
		silent(t, c)
		must(t, l.Heal())
		receive(t, c, "late")
		if err := l.Slow(0, 0); err == nil {
			t.Error("a slowness of nothing was taken")
		}
	})
}

// Jitter changes no order.
func TestLinkJitter(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		c := connect(t, l)
		must(t, l.Slow(2*time.Millisecond, 2*time.Millisecond))
		want := ""
		for r := 'a'; r <= 'z'; r++ {
			send(t, c, string(r))
			want += string(r)
		}
		receive(t, c, want)
	})
}

// A cut loses data for good, new connections get nothing, and the server does not even
// hear that a client has gone. The heal closes what was broken; new connections work.
func TestLinkCut(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		s := listen(t)
		l := newLink(t, f, s.Addr().String())
		c, gone := connect(t, l), connect(t, l)
		server := accept(t, s)
		serverOfGone := accept(t, s)

		must(t, l.Cut())
		send(t, c, "lost")
		silent(t, server)
		send(t, server, "lost too")
		silent(t, c)
		gone.Close()
		silent(t, serverOfGone)
		fresh := connect(t, l)
		send(t, fresh, "lost as well")
		silent(t, accept(t, s))

		must(t, l.Heal())
		for _, c := range []net.Conn{c, server, serverOfGone, fresh} {
			closed(t, c)
		}
		again := connect(t, l)
		send(t, again, "heard")
		receive(t, accept(t, s), "heard")
	})
}

// Requests of one connection are held back, those of another pass, and what
// was held comes in order, before the end, although its sender has gone.
func TestLinkHoldRequests(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		s := listen(t)
		l := newLink(t, f, s.Addr().String())
		c := connect(t, l)
		server := accept(t, s)
		other := connect(t, l) // after that: a link may dial for two in any order
		otherServer := accept(t, s)

		must(t, l.Hold(cluster.Requests))
		send(t, c, "first ")
		eventually(t, "data is held", func() bool { return l.Held() == len("first ") })
		send(t, other, "passes")
		receive(t, otherServer, "passes")
		send(t, server, "a reply passes too")
		receive(t, c, "a reply passes too")
		send(t, c, "second")
		eventually(t, "more is held", func() bool { return l.Held() == len("first second") })
		c.Close()
		silent(t, server)

		must(t, l.Heal())
		if l.Held() != 0 {
			t.Errorf("%d bytes are still held after the heal", l.Held())
		}
		receive(t, server, "first second")
		closed(t, server)
		send(t, other, "still works")
		receive(t, otherServer, "still works")
	})
}

func TestLinkHoldReplies(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		c := connect(t, l)
		must(t, l.Hold(cluster.Replies))
		send(t, c, "done")
		eventually(t, "the reply is held", func() bool { return l.Held() == 4 })
		other := connect(t, l)
		send(t, other, "passes")
		receive(t, other, "passes")
		silent(t, c)
		must(t, l.Heal())
		receive(t, c, "done")
		if err := l.Hold("sideways"); err == nil {
			t.Error("a direction that is none was taken")
		}
	})
}

// HoldAfter lets the first answer pass and keeps back the second, and all after it.
func TestLinkHoldAfter(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		c := connect(t, l)
		must(t, l.HoldAfter(cluster.Replies, 1))
		send(t, c, "one")
		receive(t, c, "one")
		send(t, c, "two")
		silent(t, c)
		if l.Held() != len("two") {
			t.Errorf("%d bytes are held back", l.Held())
		}
		must(t, l.Heal())
		receive(t, c, "two")
		if err := l.HoldAfter("sideways", 1); err == nil {
			t.Error("a direction that there is not was taken")
		}
	})
}

// A link tells over how many of its connections something has come back: not of one whose
// answer is held back, nor of one that has gone.
func TestLinkAnswered(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		first, second := connect(t, l), connect(t, l)
		send(t, first, "one")
		receive(t, first, "one")
		must(t, l.Hold(cluster.Replies))
		send(t, second, "two")
		for l.Held() == 0 {
			time.Sleep(time.Millisecond)
		}
		if n := l.Answered(); n != 1 {
			t.Errorf("%d connections are said to be answered, and one answer is held back of two", n)
		}
		must(t, l.Heal())
		receive(t, second, "two")
		if n := l.Answered(); n != 2 {
			t.Errorf("%d connections are said to be answered of two that were", n)
		}
		must(t, first.Close())
		for end := time.Now().Add(2 * time.Minute); l.Answered() != 1 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if n := l.Answered(); n != 1 {
			t.Errorf("%d connections are said to be answered, and one is left", n)
		}
	})
}

// Held data outlasts a cut; the connection that it came on does not.
func TestLinkHoldAndCut(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		s := listen(t)
		l := newLink(t, f, s.Addr().String())
		c := connect(t, l)
		server := accept(t, s)
		must(t, l.Hold(cluster.Requests))
		send(t, c, "late")
		eventually(t, "data is held", func() bool { return l.Held() == 4 })
		must(t, l.Cut())
		must(t, l.Heal())
		receive(t, server, "late")
		closed(t, server)
		closed(t, c)
	})
}

// What is held for a server that has died does not keep the link from healing.
func TestLinkHoldForTheDead(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		s := listen(t)
		l := newLink(t, f, s.Addr().String())
		c := connect(t, l)
		server := accept(t, s)
		must(t, l.Hold(cluster.Requests))
		for i := range 5 {
			send(t, c, "late")
			eventually(t, "data is held", func() bool { return l.Held() == 4*(i+1) })
		}
		must(t, server.(*net.TCPConn).SetLinger(0))
		server.Close()
		s.Close()
		must(t, l.Heal())
		if l.Held() != 0 {
			t.Errorf("%d bytes are still held after the heal", l.Held())
		}
	})
}

// A reset loses what was held back and what is on its way; both ends hear of it.
func TestLinkReset(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		s := listen(t)
		l := newLink(t, f, s.Addr().String())
		c := connect(t, l)
		server := accept(t, s)
		must(t, l.Hold(cluster.Requests))
		send(t, c, "held")
		eventually(t, "it is held", func() bool { return l.Held() == 4 })
		must(t, l.Reset())
		closed(t, c)
		closed(t, server) // having received nothing
		if l.Held() != 0 {
			t.Errorf("%d bytes are still held", l.Held())
		}
		again := connect(t, l)
		other := accept(t, s)
		send(t, again, "new")
		receive(t, other, "new")
	})
}

// A client learns quickly that the server behind the link is dead.
func TestLinkDeadServer(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		s := listen(t)
		l := newLink(t, f, s.Addr().String())
		s.Close()
		start := time.Now()
		c := connect(t, l)
		closed(t, c)
		if took := time.Since(start); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A closed link leaves no goroutine behind, whatever state it was in.
func TestLinkLeavesNothing(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		before := runtime.NumGoroutine()
		for _, disturb := range []func(*cluster.Link) error{
			func(l *cluster.Link) error { return nil },
			func(l *cluster.Link) error { return l.Slow(time.Hour, 0) },
			func(l *cluster.Link) error { return l.Cut() },
			func(l *cluster.Link) error { return l.Hold(cluster.Requests) },
		} {
			s := listen(t)
			l, err := cluster.NewLink(f, "127.0.0.1:0", s.Addr().String(), 1)
			must(t, err)
			c := connect(t, l)
			server := accept(t, s)
			must(t, disturb(l))
			send(t, c, "x")
			send(t, server, "x")
			l.Close()
			c.Close()
			server.Close()
			s.Close()
		}
		eventually(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	})
}
