package anchor

import (
	"bytes"
	"errors"
	"sync"

	"locktorture/cluster"
	"locktorture/internal/resp"
	"locktorture/nemesis/points"
	"locktorture/nemesis/points/schedule"
)

var _ cluster.Guard = (*Director)(nil)

// Connect implements cluster.Guard. It ignores connections of parties other than clients.
func (d *Director) Connect(w cluster.Way) (requests, replies cluster.Gate) {
	if w.Client == 0 || w.To < 0 {
		return nil, nil
	}
	c := &conn{director: d, client: w.Client, node: w.To + 1}
	if names := d.names[kind(d.world.Nodes[w.To].Name())]; names != nil {
		c.calls = names()
	}
	return &gate{conn: c}, &gate{conn: c, reply: true}
}

// A conn is a connection of a client to a server.
type conn struct {
	director     *Director
	client, node int // from 1

	mu     sync.Mutex // guards the following
	names  points.Conn
	calls  func(reply bool, b []byte) []string // names the messages; nil: they are of Redis
	silent bool                                // data is discarded
}

// A message is at its point, before it is delivered. The message of a gate stands for no data
// and has no connection.
type message struct {
	conn  *conn
	reply bool

	free    []<-chan struct{} // channels that must be closed before it is delivered
	dropped <-chan struct{}   // if set, the message is lost, and its connection ends when the channel is closed
	ends    bool              // the connection ends after it
}

// A gate is one direction of a connection.
type gate struct {
	*conn
	reply bool
	rest  []byte
	blind bool // the data is not RESP: all of it passes
}

// Pass implements cluster.Gate.
func (g *gate) Pass(data []byte) (pieces []cluster.Piece) {
	if g.calls != nil {
		return g.called(data)
	}
	g.rest = append(g.rest, data...)
	for len(g.rest) > 0 {
		n, what, point, err := g.next()
		if errors.Is(err, resp.ErrShort) && !g.blind {
			return pieces
		}
		if err != nil || g.blind {
			g.blind, n, point = true, len(g.rest), false
		}
		m := &message{conn: g.conn, reply: g.reply}
		if point {
			g.director.come(schedule.Point{Client: g.client, Kind: g.kind(), What: what, Node: g.node}, m)
		}
		pieces = append(pieces, g.pieces(m, bytes.Clone(g.rest[:n]))...)
		g.rest = g.rest[n:]
	}
	return pieces
}

// called passes data to or from a cluster. A fault at a message strikes all data that arrived
// together with the end of the message.
func (g *gate) called(data []byte) []cluster.Piece {
	g.mu.Lock()
	names := g.calls(g.reply, data)
	g.mu.Unlock()
	m := &message{conn: g.conn, reply: g.reply}
	for _, what := range names {
		of := kind(g.director.world.Nodes[g.node-1].Name())
		g.director.come(schedule.Point{Client: g.client, Kind: g.kind(), What: what, Server: of}, m)
	}
	return g.pieces(m, bytes.Clone(data))
}

// next parses the first message of the received data. It returns the length and the name of the
// message, and whether it is a point.
func (g *gate) next() (n int, what string, point bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reply {
		n, _, err = resp.Reply(g.rest)
		if err == nil {
			what, point = g.names.Reply(g.rest[:n])
		}
		return n, what, point, err
	}
	n, words, err := resp.Command(g.rest)
	if err == nil {
		what, point = g.names.Command(words)
	}
	return n, what, point, err
}

func (g *gate) kind() string {
	if g.reply {
		return schedule.Reply
	}
	return schedule.Send
}

// pieces returns the pieces of a message after the decisions about it.
func (g *gate) pieces(m *message, data []byte) []cluster.Piece {
	g.mu.Lock()
	silent := g.silent
	g.silent = silent || m.dropped != nil
	g.mu.Unlock()
	p := cluster.Piece{Data: data, Lost: silent || m.dropped != nil}
	if !p.Lost {
		p.Free = allOf(m.free)
	}
	switch {
	case m.dropped != nil:
		return []cluster.Piece{p, {Free: m.dropped, Ends: true}}
	case m.ends:
		return []cluster.Piece{p, {Ends: true}}
	}
	return []cluster.Piece{p}
}

// allOf returns a channel that is closed once all the given channels are closed; nil if there
// are none.
func allOf(of []<-chan struct{}) <-chan struct{} {
	switch len(of) {
	case 0:
		return nil
	case 1:
		return of[0]
	}
	closed := make(chan struct{})
	go func() {
		for _, c := range of {
			<-c
		}
		close(closed)
	}()
	return closed
}
