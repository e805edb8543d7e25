package wire

import (
	"sync"
	"sync/atomic"

	"locktorture/cluster"
)

// An Observer sees every message of its links (cluster.Link.Tap). A message is seen before its last
// byte is delivered, so before its receiver can act on it. Data that cannot be decoded is seen as
// raw messages.
type Observer struct {
	Decoder func(w cluster.Way) Decoder // if it returns nil, the connection is not observed
	// See is called with each message. conn is the number of the connection, from 1. See is called
	// from several goroutines, and delays its connection until it returns. The function that it
	// returns, which may be nil, is called if the last byte of the message is lost, so that its
	// receiver never gets the whole message.
	See func(w cluster.Way, conn int, m Message) (lost func())

	conns atomic.Int64
}

var _ cluster.Tap = (*Observer)(nil)

// Connect implements cluster.Tap.
func (o *Observer) Connect(w cluster.Way) (requests, replies cluster.Watcher) {
	d := o.Decoder(w)
	if d == nil {
		return nil, nil
	}
	conn := int(o.conns.Add(1))
	both := &observed{decoder: d, see: func(m Message) func() { return o.See(w, conn, m) }}
	return &observedSide{observed: both}, &observedSide{observed: both, reply: true}
}

// An observed is a connection with an observer.
type observed struct {
	mu      sync.Mutex // guards decoder
	decoder Decoder
	see     func(Message) (lost func())
}

// An observedSide is one direction of an observed connection.
type observedSide struct {
	*observed
	reply  bool
	chunks int
	flying []flying
}

// A flying chunk has entered the link and not left it, and someone wants to know if it is lost.
type flying struct {
	chunk int
	lost  func()
}

// Enter implements cluster.Watcher.
func (s *observedSide) Enter(data []byte) int {
	s.chunks++
	s.mu.Lock()
	messages := s.decoder.Decode(s.reply, data)
	s.mu.Unlock()
	for _, m := range messages {
		if lost := s.see(m); lost != nil {
			s.flying = append(s.flying, flying{s.chunks, lost})
		}
	}
	return s.chunks
}

// Leave implements cluster.Watcher.
func (s *observedSide) Leave(chunk int) { s.settle(chunk, false) }

// Lose implements cluster.Watcher.
func (s *observedSide) Lose(chunk int) { s.settle(chunk, true) }

// settle forgets a chunk.
func (s *observedSide) settle(chunk int, lost bool) {
	kept := s.flying[:0]
	for _, f := range s.flying {
		switch {
		case f.chunk != chunk:
			kept = append(kept, f)
		case lost:
			f.lost()
		}
	}
	s.flying = kept
}

// End implements cluster.Watcher.
func (s *observedSide) End() {
	for _, f := range s.flying {
		f.lost()
	}
	s.flying = nil
}

// Both combines two taps. One of them may be nil; if both are, the result is nil.
func Both(a, b cluster.Tap) cluster.Tap {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return pair{a, b}
}

type pair struct{ a, b cluster.Tap }

// Connect implements cluster.Tap.
func (p pair) Connect(w cluster.Way) (requests, replies cluster.Watcher) {
	requests, replies = p.a.Connect(w)
	requests2, replies2 := p.b.Connect(w)
	return beside(requests, requests2), beside(replies, replies2)
}

// beside combines two watchers of one direction, each of which may be nil.
func beside(a, b cluster.Watcher) cluster.Watcher {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &watchers{a: a, b: b, numbers: map[int]int{}}
}

// watchers gives each chunk the number that a gave it.
type watchers struct {
	a, b    cluster.Watcher
	numbers map[int]int // numbers that b gave, where they differ
}

// Enter implements cluster.Watcher.
func (w *watchers) Enter(data []byte) int {
	n, other := w.a.Enter(data), w.b.Enter(data)
	if n != other {
		w.numbers[n] = other
	}
	return n
}

// Leave implements cluster.Watcher.
func (w *watchers) Leave(chunk int) {
	w.a.Leave(chunk)
	w.b.Leave(w.other(chunk))
}

// Lose implements cluster.Watcher.
func (w *watchers) Lose(chunk int) {
	w.a.Lose(chunk)
	w.b.Lose(w.other(chunk))
}

// other returns the number of a chunk for b, and forgets it.
func (w *watchers) other(chunk int) int {
	n, ok := w.numbers[chunk]
	if !ok {
		return chunk
	}
	delete(w.numbers, chunk)
	return n
}

// End implements cluster.Watcher.
func (w *watchers) End() {
	w.a.End()
	w.b.End()
}
