package toxiproxy_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"locktorture/cluster"
)

// A notebook is a tap that writes down what it is told.
type notebook struct {
	mu    sync.Mutex
	conns int
	lines []string
}

func (n *notebook) Connect(cluster.Way) (cluster.Watcher, cluster.Watcher) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns++
	return &page{n, fmt.Sprintf("%d >", n.conns), 0}, &page{n, fmt.Sprintf("%d <", n.conns), 0}
}

func (n *notebook) said(line string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.lines, line)
}

type page struct {
	book *notebook
	name string
	n    int
}

func (p *page) note(format string, args ...any) {
	p.book.mu.Lock()
	defer p.book.mu.Unlock()
	p.book.lines = append(p.book.lines, p.name+" "+fmt.Sprintf(format, args...))
}

func (p *page) Enter(data []byte) int {
	p.n++
	p.note("%d enters %s", p.n, data)
	return p.n
}
func (p *page) Leave(chunk int) { p.note("%d leaves", chunk) }
func (p *page) Lose(chunk int)  { p.note("%d is lost", chunk) }
func (p *page) End()            { p.note("end") }

func (n *notebook) expect(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		eventually(t, line, func() bool { return n.said(line) })
	}
}

// TestTap: the tap sees both directions of each connection, and what was kept back or lost as
// such.
func TestTap(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		var book notebook
		l.Tap(&book)
		first, second := connect(t, l), connect(t, l)
		send(t, first, "one")
		receive(t, first, "one")
		send(t, second, "two")
		receive(t, second, "two")
		book.expect(t, "1 > 1 enters one", "1 > 1 leaves", "1 < 1 enters one", "1 < 1 leaves", "2 > 1 enters two", "2 < 1 enters two")
		must(t, l.Hold(cluster.Requests))
		send(t, first, "held")
		book.expect(t, "1 > 2 enters held")
		if book.said("1 > 2 leaves") {
			t.Error("what is held back has left")
		}
		must(t, l.Heal())
		receive(t, first, "held")
		book.expect(t, "1 > 2 leaves")
		must(t, l.Cut())
		send(t, second, "gone")
		book.expect(t, "2 > 2 enters gone", "2 > 2 is lost")
		must(t, l.Heal())
		closed(t, second)
		book.expect(t, "2 > end", "2 < end")
		l.Tap(nil)
		third := connect(t, l)
		roundTrip(t, third)
		if book.conns != 2 {
			t.Errorf("%d connections were told, want 2", book.conns)
		}
	})
}

// TestTapLate: a connection that was there before the tap is told with its next data.
func TestTapLate(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		c := connect(t, l)
		roundTrip(t, c)
		var book notebook
		l.Tap(&book)
		send(t, c, "late")
		receive(t, c, "late")
		book.expect(t, "1 > 1 enters late", "1 < 1 enters late", "1 < 1 leaves")
	})
}

// A lines guard lets lines pass but for those that are said to be kept back or lost.
type lines struct{ free chan struct{} }

func (g lines) Connect(cluster.Way) (cluster.Gate, cluster.Gate) { return &lineGate{free: g.free}, nil }

type lineGate struct {
	free chan struct{}
	rest []byte
}

func (g *lineGate) Pass(data []byte) (pieces []cluster.Piece) {
	g.rest = append(g.rest, data...)
	for {
		n := bytes.IndexByte(g.rest, '\n') + 1
		if n == 0 {
			return pieces
		}
		p := cluster.Piece{Data: bytes.Clone(g.rest[:n]), Lost: strings.HasPrefix(string(g.rest), "lose")}
		if strings.HasPrefix(string(g.rest), "hold") {
			p.Free = g.free
		}
		pieces = append(pieces, p)
		if strings.HasPrefix(string(g.rest), "end") {
			pieces = append(pieces, cluster.Piece{Free: g.free, Ends: true})
		}
		g.rest = g.rest[n:]
	}
}

// TestGuard: single messages of one write can be lost and held back, and the tap sees that.
func TestGuard(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		var book notebook
		l.Tap(&book)
		g := lines{make(chan struct{})}
		l.Guard(g)
		c := connect(t, l)
		send(t, c, "a\nlose\nb\nhold\nc\nha")
		receive(t, c, "a\nb\n")
		silent(t, c)
		book.expect(t, "1 > 2 enters lose\n", "1 > 2 is lost", "1 > 4 enters hold\n")
		send(t, c, "lf\n")
		silent(t, c)
		close(g.free)
		receive(t, c, "hold\nc\nhalf\n")
		book.expect(t, "1 > 4 leaves", "1 > 6 leaves")
	})
}

// TestGuardEnds: a guard can end a connection, later and in both directions; what is before
// the end arrives, what is behind it does not.
func TestGuardEnds(t *testing.T) {
	over(t, func(t *testing.T, f cluster.Forwarder) {
		l := newLink(t, f, echo(t))
		var book notebook
		l.Tap(&book)
		g := lines{make(chan struct{})}
		l.Guard(g)
		c, other := connect(t, l), connect(t, l)
		send(t, c, "a\nend\nb\n")
		receive(t, c, "a\nend\n")
		silent(t, c)
		close(g.free)
		closed(t, c)
		book.expect(t, "1 > 3 enters b\n", "1 > 3 is lost", "1 > end", "1 < end")
		send(t, other, "c\n")
		receive(t, other, "c\n")
	})
}
