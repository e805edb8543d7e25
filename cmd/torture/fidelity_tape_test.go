package main

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locktorture/internal/resp"
	"locktorture/nemesis/points"
	"locktorture/simulate/server"
	"locktorture/trial"
	"locktorture/wire/tape"
)

// A tapeOf is what a real server was asked in a run, and what it answered.
type tapeOf struct {
	node string
	said map[int][]string // by client: points
	asks []*ask

	unanswered int // of the requests: nobody knows whether the server has done them
}

// An ask is a command and its answer.
type ask struct {
	conn     int
	raw      []byte
	name     string
	point    bool // it is no introduction of a library
	at, done int64
	answer   []byte
	moved    bool
}

// A talk is a connection while it is read.
type talk struct {
	client      int
	names       points.Conn
	to, from    []byte
	outstanding []*ask
}

// tapesOf reads the recording of a run, a tape for each server.
func tapesOf(t *testing.T, dir string) (all []*tapeOf) {
	r, file, err := tape.Open(filepath.Join(dir, trial.WireFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	nodes, talks := map[string]*tapeOf{}, map[int]*talk{}
	for e, err := range r.Events(func(int) bool { return true }) {
		if err != nil {
			t.Fatal(err)
		}
		l := r.Meta.Links[e.Link]
		if e.Kind == tape.Gap {
			t.Fatal("the recording has gaps")
		}
		if e.Kind != tape.Enter || l.Client == 0 {
			continue
		}
		node, k := nodes[l.To], talks[e.Conn]
		if node == nil {
			node = &tapeOf{node: l.To, said: map[int][]string{}}
			nodes[l.To], all = node, append(all, node)
		}
		if k == nil {
			k = &talk{client: l.Client}
			talks[e.Conn] = k
		}
		if e.Reply {
			node.answered(k, e)
		} else {
			node.asked(k, e)
		}
	}
	for _, n := range all {
		n.asks = slices.DeleteFunc(n.asks, func(a *ask) bool {
			if a.answer == nil && !strings.HasSuffix(a.name, "SUBSCRIBE") { // whose answer is a push
				n.unanswered++
			}
			return a.answer == nil
		})
		slices.SortStableFunc(n.asks, func(a, b *ask) int { return cmp.Compare(a.done, b.done) })
	}
	return all
}

// asked takes requests.
func (n *tapeOf) asked(k *talk, e tape.Event) {
	k.to = append(k.to, e.Data...)
	for len(k.to) > 0 {
		size, words, err := resp.Command(k.to)
		if err != nil {
			return
		}
		what, point := k.names.Command(words)
		a := &ask{conn: e.Conn, raw: slices.Clone(k.to[:size]), name: what, point: point, at: e.Time}
		k.to = k.to[size:]
		n.asks = append(n.asks, a)
		if !strings.HasSuffix(what, "SUBSCRIBE") {
			k.outstanding = append(k.outstanding, a)
		}
		if point {
			n.said[k.client] = append(n.said[k.client], "send "+what)
		}
	}
}

// answered takes replies and pushes.
func (n *tapeOf) answered(k *talk, e tape.Event) {
	k.from = append(k.from, e.Data...)
	for len(k.from) > 0 {
		size, push, err := resp.Reply(k.from)
		if err != nil {
			return
		}
		b := slices.Clone(k.from[:size])
		k.from = k.from[size:]
		if what, point := k.names.Reply(b); point {
			n.said[k.client] = append(n.said[k.client], "reply "+what)
		}
		if !push && len(k.outstanding) > 0 {
			a := k.outstanding[0]
			k.outstanding = k.outstanding[1:]
			a.answer, a.done = b, e.Time
		}
	}
}

// answersAgain gives the stepped server what a real one was asked, and compares the answers.
// Two requests that were under way at the same time may have been answered in either order. It
// returns how many answers were compared, and how many pairs were in the other order.
func answersAgain(t *testing.T, backend string, real *tapeOf) (compared, moved int) {
	s, err := server.StartStepped(t.Context())
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	for moved = 0; moved < 200; moved++ {
		differs, is := again(t, backend, s, real.asks)
		if differs < 0 {
			for _, a := range real.asks {
				if a.point {
					compared++
				}
			}
			return compared, moved
		}
		if !later(real.asks, differs) && !sooner(real.asks, differs) {
			a := real.asks[differs]
			t.Fatalf("%s, request %d of connection %d at %d ns: %q was answered with %q, and by the stepped server with %q", real.node, differs+1, a.conn, a.at, a.raw, a.answer, is)
		}
	}
	t.Fatalf("%s: no order of what was under way at the same time gives these answers", real.node)
	return 0, 0
}

// again plays all to an empty server; the first request that it answers otherwise, or -1.
func again(t *testing.T, backend string, s server.Server, asks []*ask) (differs int, is []byte) {
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	open, wall := map[int]bool{}, int64(1_767_225_600_000_000_000)
	begin := wall
	for i, a := range asks {
		if !open[a.conn] {
			open[a.conn] = true
			if err := s.Connect(a.conn); err != nil {
				t.Fatal(err)
			}
		}
		wall = max(wall, begin+a.at)
		var got []byte
		err := s.Feed(wall, a.conn, a.raw, func(conn int, b []byte) {
			if conn == a.conn && len(b) > 0 && b[0] != '>' {
				got = b
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if a.point && a.answer != nil && !sameAnswer(backend, a, got) {
			return i, got
		}
	}
	return -1, nil
}

// later moves a request to before one that was under way at the same time, over another
// connection, and was answered sooner. A request is moved so once.
func later(asks []*ask, i int) bool {
	a := asks[i]
	if a.moved {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if asks[j].conn != a.conn && asks[j].done > a.at {
			a.moved = true
			copy(asks[j+1:i+1], asks[j:i])
			asks[j] = a
			return true
		}
		if asks[j].conn == a.conn {
			return false
		}
	}
	return false
}

// sooner moves to before a request one that was under way at the same time, over another
// connection, and was answered later.
func sooner(asks []*ask, i int) bool {
	for j := i + 1; j < len(asks); j++ {
		if asks[j].conn != asks[i].conn && asks[j].at < asks[i].done {
			a := asks[j]
			copy(asks[i+1:j+1], asks[i:j])
			asks[i] = a
			return true
		}
	}
	return false
}

// leftOver bounds how far apart two servers may tell the time that a key has left, in ms: the
// real one was asked some time after its proxy had the request.
const leftOver = 100

// sameAnswer compares an answer. Where it is the time that a key has left it is near enough.
func sameAnswer(backend string, a *ask, got []byte) bool {
	if bytes.Equal(a.answer, got) {
		return true
	}
	left := a.name == "PTTL" || a.name == "EVAL" && (backend == "redis-fair" || backend == "redislock")
	was, err1 := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(a.answer), ":")))
	is, err2 := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(got), ":")))
	return left && err1 == nil && err2 == nil && was > 1 && is > 1 && was-is < leftOver && is-was < leftOver
}
