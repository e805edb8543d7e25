package trace_test

import (
	"bufio"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/wire/tape"
	"locktorture/wire/trace"
)

// A peer is a client of a link whose server says +OK to every line, and its tape.
type peer struct {
	*testing.T
	link  *cluster.Link
	conn  net.Conn
	in    *bufio.Reader
	tape  *tape.Tape
	path  string
	start time.Time
	heard atomic.Int64 // chunks that have entered
}

// Connect implements cluster.Tap: the tape's, counted.
func (p *peer) Connect(w cluster.Way) (requests, replies cluster.Watcher) {
	requests, replies = p.tape.On(0).Connect(w)
	return counted{requests, &p.heard}, counted{replies, &p.heard}
}

type counted struct {
	cluster.Watcher
	n *atomic.Int64
}

func (c counted) Enter(data []byte) int {
	defer c.n.Add(1)
	return c.Watcher.Enter(data)
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	s, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(t, err)
	t.Cleanup(func() { s.Close() })
	go func() {
		for {
			c, err := s.Accept()
			if err != nil {
				return
			}
			go func() {
				for lines := bufio.NewScanner(c); lines.Scan(); {
					_, _ = io.WriteString(c, "+OK\r\n") // the client may have gone
				}
				c.Close()
			}()
		}
	}()
	p := &peer{T: t, path: filepath.Join(t.TempDir(), "wire.bin"), start: time.Now()}
	p.link, err = cluster.NewLink(cluster.Plain, "127.0.0.1:0", s.Addr().String(), 1)
	fatal(t, err)
	t.Cleanup(p.link.Close)
	p.tape, err = tape.New(tape.Config{
		Path: p.path, Links: []tape.Link{{Client: 1, To: "redis-1", Protocol: "redis"}}, Now: func() int64 { return int64(time.Since(p.start)) },
	})
	fatal(t, err)
	p.link.Tap(p)
	p.conn, err = net.Dial("tcp", p.link.Addr())
	fatal(t, err)
	t.Cleanup(func() { p.conn.Close() })
	p.in = bufio.NewReader(p.conn)
	return p
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *peer) send(line string) {
	p.Helper()
	_, err := io.WriteString(p.conn, line+"\r\n")
	fatal(p.T, err)
}

func (p *peer) answered() {
	p.Helper()
	fatal(p.T, p.conn.SetReadDeadline(time.Now().Add(10*time.Second)))
	if line, err := p.in.ReadString('\n'); err != nil || line != "+OK\r\n" {
		p.Fatalf("answer %q, %v", line, err)
	}
}

// rows ends the tape and returns those of messages with a text.
func (p *peer) rows(text string) (out []trace.Row) {
	p.Helper()
	p.link.Tap(nil)
	fatal(p.T, p.tape.Close())
	r, file, err := tape.Open(p.path)
	fatal(p.T, err)
	defer file.Close()
	for row, err := range (trace.Source{Tape: r, Decoder: decoder}).Rows(trace.Filter{}) {
		fatal(p.T, err)
		if strings.HasPrefix(row.Text, text) {
			out = append(out, row)
		}
	}
	return out
}

// TestHeld: what a fault keeps back is told as it comes, and again when it goes on.
func TestHeld(t *testing.T) {
	p := newPeer(t)
	p.send("PING")
	p.answered()
	fatal(t, p.link.Hold(cluster.Requests))
	p.send("GET lock")
	for p.link.Held() == 0 {
		time.Sleep(time.Millisecond)
	}
	const kept = 50 * time.Millisecond
	time.Sleep(kept) // for so long it is kept back at least
	fatal(t, p.link.Heal())
	p.answered()
	rows := p.rows("GET lock")
	if len(rows) != 2 || rows[0].Event != trace.Message || rows[0].Left != 0 || rows[0].Lost || rows[1].Event != trace.Later ||
		rows[1].Came != rows[0].Time || time.Duration(rows[1].Time-rows[1].Came) < kept {
		t.Errorf("%+v", rows)
	}
}

// TestLost: what a fault loses is told as it comes, and as lost.
func TestLost(t *testing.T) {
	p := newPeer(t)
	p.send("PING")
	p.answered()
	fatal(t, p.link.Cut())
	p.send("DEL lock")
	for p.heard.Load() < 3 { // PING, its answer, and what is lost
		time.Sleep(time.Millisecond)
	}
	fatal(t, p.link.Heal())
	if _, err := p.in.ReadByte(); err == nil {
		t.Error("an answer to what was lost")
	}
	rows := p.rows("DEL lock")
	if len(rows) == 0 || !rows[0].Lost && rows[len(rows)-1].Event != trace.Lost {
		t.Errorf("%+v", rows)
	}
}
