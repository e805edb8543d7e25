package cluster

import "time"

// A Stream is one direction of one connection, as a forwarder gives it to a pipe: data that comes in chunks
// from the sender, and goes out to the receiver.
type Stream interface {
	// take waits for the next chunk, or until something else comes. ended says that no chunk will come.
	take(ended bool, e events) (chunk []byte, came event)
	// send hands a chunk over; false if a channel came first.
	send(chunk []byte, gone <-chan time.Time, closed <-chan struct{}) bool
	// finish ends the receiver's connection. What the sender still sends is lost.
	finish()
}

// events are what a flow waits for besides data; a nil channel never comes.
type events struct {
	due                <-chan time.Time
	free, over, closed <-chan struct{}
}

type event int

const (
	wakes  event = iota // the flow looks again at what it is to do
	comes               // there is a chunk
	ends                // the sender has closed
	closes              // the valve was closed
)

// Chunks is a stream over the channels of a forwarder, whose chunks are of a type of its own.
type Chunks[C any] struct {
	In    <-chan C // closed when the sender has closed
	Out   chan<- C
	Close func()         // closes Out
	Data  func(C) []byte // nobody changes it later
	Wrap  func([]byte) C
}

var _ Stream = Chunks[[]byte]{}

func (c Chunks[C]) take(ended bool, e events) ([]byte, event) {
	in := c.In
	if ended {
		in = nil
	}
	select {
	case chunk, ok := <-in:
		if !ok {
			return nil, ends
		}
		return c.Data(chunk), comes
	case <-e.due:
	case <-e.free:
	case <-e.over:
	case <-e.closed:
		return nil, closes
	}
	return nil, wakes
}

func (c Chunks[C]) send(chunk []byte, gone <-chan time.Time, closed <-chan struct{}) bool {
	select {
	case c.Out <- c.Wrap(chunk):
		return true
	case <-gone:
	case <-closed:
	}
	return false
}

// finish lets what reads the connection come to its end: it may be about to hand over a chunk.
func (c Chunks[C]) finish() {
	c.Close()
	go func() {
		for range c.In {
		}
	}()
}
