package cluster

import "time"

// A Stream is one direction of one connection, as a forwarder passes it to a pipe: data that
// arrives in chunks from the sender and is sent to the receiver.
type Stream interface {
	// take waits for the next chunk or for another event. ended reports that no more chunks will
	// arrive.
	take(ended bool, e events) (chunk []byte, came event)
	// send delivers a chunk. It returns false if one of the channels was ready first.
	send(chunk []byte, gone <-chan time.Time, closed <-chan struct{}) bool
	// finish ends the receiver's connection. Later data of the sender is discarded.
	finish()
}

// events are the channels that a flow waits for besides data. A nil channel is never ready.
type events struct {
	due                <-chan time.Time
	free, over, closed <-chan struct{}
}

type event int

const (
	wakes  event = iota // the flow reconsiders its next step
	comes               // a chunk has arrived
	ends                // the sender has closed
	closes              // the valve was closed
)

// Chunks is a stream over the channels of a forwarder, whose chunks have a type of their own.
type Chunks[C any] struct {
	In    <-chan C // closed when the sender has closed
	Out   chan<- C
	Close func()         // closes Out
	Data  func(C) []byte // the data is not changed later
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

// finish closes Out and discards the remaining chunks of In, so that a reader that is about to
// deliver a chunk does not block for ever.
func (c Chunks[C]) finish() {
	c.Close()
	go func() {
		for range c.In {
		}
	}()
}
