package wire

import (
	"bytes"
	"sync"
	"sync/atomic"

	"locktorture/cluster"
)

// An Action is what becomes of a message. The zero Action lets it pass.
type Action struct {
	Lost bool
	Free <-chan struct{} // it, and what is behind it, waits until this is closed
}

// A Guard decides about every message of the links that it is given to (cluster.Link.Guard).
// Bytes that cannot be decoded are asked about too, as the raw messages that they are.
type Guard struct {
	Decoder func(w cluster.Way) Decoder // nil as a result: the connection is left alone
	// Decide is called before a message goes on. conn counts the connections of the guard,
	// from 1. It is called from several goroutines, and holds its connection up.
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

// A gate is one direction of it.
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
