package cluster

import (
	"sync"
	"sync/atomic"
)

// A Way identifies the two ends of a link.
type Way struct {
	Client   int    // the client that opens its connections, from 1; 0 if a node opens them
	From, To int    // indices of nodes; From is -1 for a client, To is -1 behind a virtual endpoint
	Upstream string // address of the current server
}

// A Tap receives the connections of links. It may return nil for a direction that it does not
// watch. Its methods must be safe for concurrent use.
type Tap interface {
	// Connect is called with the first data of a connection that the tap sees. The connection may
	// be older than the tap.
	Connect(w Way) (requests, replies Watcher)
}

// A Watcher observes one direction of a connection. Its methods are called one at a time, and delay
// the data until they return.
type Watcher interface {
	// Enter is called with arriving data, before any other step. The data is never changed. The
	// returned number identifies it in later calls.
	Enter(data []byte) (chunk int)
	// Leave reports that a chunk was written to the receiver's socket, Lose that it never will be.
	Leave(chunk int)
	Lose(chunk int)
	// End reports the end of the connection: data that has entered and not left is lost.
	End()
}

// A Guard decides about single messages. It stands behind the tap, so that the tap sees the data
// that the guard keeps back.
type Guard interface {
	Connect(w Way) (requests, replies Gate)
}

// A Gate divides one direction of a connection into messages.
type Gate interface {
	// Pass is called with arriving data and returns it in pieces, in order. It returns incomplete
	// data, such as the start of a message, at a later call; without a later call that data is
	// lost.
	Pass(data []byte) []Piece
}

// A Piece is data with a decision.
type Piece struct {
	Data []byte
	Lost bool            // the data is discarded
	Free <-chan struct{} // closed when Data and all data behind it may go on; nil: at once
	Ends bool            // the connection ends here, in both directions; Data is empty
}

// taps hold the tap and the guard of a link, which may change while it has connections.
type taps struct {
	mu    sync.Mutex // guards the fields below except turn
	way   Way
	tap   Tap
	guard Guard
	turn  atomic.Int64 // counts the changes
}

// change edits the taps, and informs the connections.
func (t *taps) change(edit func(*taps)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	edit(t)
	t.turn.Add(1)
}

// Tap passes all later traffic of the link to a tap. nil removes the tap.
func (l *Link) Tap(t Tap) {
	if l.taps != nil {
		l.taps.change(func(s *taps) { s.tap = t })
	}
}

// Guard makes a guard decide about all data that enters the link from now on. nil removes the
// guard.
func (l *Link) Guard(g Guard) {
	if l.taps != nil {
		l.taps.change(func(s *taps) { s.guard = g })
	}
}

// Way returns the two ends of the link, or the zero Way if it consists of parts of other links.
func (l *Link) Way() Way {
	if l.taps == nil {
		return Way{}
	}
	l.taps.mu.Lock()
	defer l.taps.mu.Unlock()
	return l.taps.way
}

// Tap passes all later traffic of the links to taps. nil removes the taps. The index of a link is
// its index in Ways.
func (c *Cluster) Tap(on func(link int) Tap) {
	for i, l := range c.links {
		if on == nil {
			l.Tap(nil)
			continue
		}
		l.Tap(on(i))
	}
}

// Guard makes a guard decide about all data that enters any link from now on. nil removes the
// guard.
func (c *Cluster) Guard(g Guard) {
	for _, l := range c.links {
		l.Guard(g)
	}
}

// Ways returns the way of every link, of clients and of nodes.
func (c *Cluster) Ways() []Way {
	ways := make([]Way, 0, len(c.links))
	for _, l := range c.links {
		ways = append(ways, l.Way())
	}
	return ways
}
