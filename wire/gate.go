package wire

import (
	"bytes"
	"sync"
	"sync/atomic"

	"locktorture/cluster"
)

// An Action is a decision about a message. The zero Action passes it.
type Action struct {
	Lost bool
	Free <-chan struct{} // it and all data behind it waits until this is closed
}

// A Guard decides about every message of its links (cluster.Link.Guard). Data that cannot be
// decoded is passed to it as raw messages.
type Guard struct {
	Decoder func(w cluster.Way) Decoder // if it returns nil, the connection is not guarded
	// Decide is called before a message is delivered. conn is the number of the connection, from 1.
	// Decide is called from several goroutines, and delays its connection until it returns.
	Decide func(w cluster.Way, conn int, m Message) Action

	conns atomic.Int64
}

var _ cluster.Guard = (*Guard)(nil)

// Connect implements cluster.Guard.
func (g *Guard) Connect(w cluster.Way) (requests, replies cluster.Gate) {
	d := g.Decoder(w)
	if d == nil {
		return nil, nil
	}
	conn := int(g.conns.Add(1))
	both := &guarded{decoder: d, decide: func(m Message) Action { return g.Decide(w, conn, m) }}
	return &gate{guarded: both}, &gate{guarded: both, reply: true}
}

// A guarded is a connection with a guard.
type guarded struct {
	mu      sync.Mutex // guards decoder
	decoder Decoder
	decide  func(Message) Action
}

// A gate is one direction of a guarded connection.
type gate struct {
	*guarded
	reply bool
	rest  []byte
}

// Pass implements cluster.Gate.
func (g *gate) Pass(data []byte) []cluster.Piece {
	g.rest = append(g.rest, data...)
	g.mu.Lock()
	messages := g.decoder.Decode(g.reply, data)
	g.mu.Unlock()
	pieces := make([]cluster.Piece, 0, len(messages))
	for _, m := range messages {
		a := g.decide(m)
		pieces = append(pieces, cluster.Piece{Data: bytes.Clone(g.rest[:m.Size]), Lost: a.Lost, Free: a.Free})
		g.rest = g.rest[m.Size:]
	}
	return pieces
}
