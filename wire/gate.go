package wire

import (
	"sync"
	"sync/atomic"

	"locktorture/cluster"
)

// An Observer sees every message of its links (cluster.Link.Guard). It never holds data back: a
// message is seen before its last byte is delivered, so before its receiver can act on it. Data that
// cannot be decoded is seen as raw messages.
type Observer struct {
	Decoder func(w cluster.Way) Decoder // if it returns nil, the connection is not observed
	// See is called with each message. conn is the number of the connection, from 1. See is called
	// from several goroutines, and delays its connection until it returns.
	See func(w cluster.Way, conn int, m Message)

	conns atomic.Int64
}

var _ cluster.Guard = (*Observer)(nil)

// Connect implements cluster.Guard.
func (o *Observer) Connect(w cluster.Way) (requests, replies cluster.Gate) {
	d := o.Decoder(w)
	if d == nil {
		return nil, nil
	}
	conn := int(o.conns.Add(1))
	both := &observed{decoder: d, see: func(m Message) { o.See(w, conn, m) }}
	return gate{both, false}, gate{both, true}
}

// An observed is a connection with an observer.
type observed struct {
	mu      sync.Mutex // guards decoder
	decoder Decoder
	see     func(Message)
}

// A gate is one direction of an observed connection.
type gate struct {
	*observed
	reply bool
}

// Pass implements cluster.Gate.
func (g gate) Pass(data []byte) []cluster.Piece {
	g.mu.Lock()
	messages := g.decoder.Decode(g.reply, data)
	g.mu.Unlock()
	for _, m := range messages {
		g.see(m)
	}
	return []cluster.Piece{{Data: data}}
}
