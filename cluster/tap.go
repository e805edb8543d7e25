package cluster

import (
	"sync"
	"sync/atomic"
)

// A Way says whom a link joins.
type Way struct {
	Client   int    // the client that opens its connections, from 1; 0: a node
	From, To int    // indices of nodes; From is -1 for a client, To is -1 behind a virtual endpoint
	Upstream string // where it leads now
}

// A Tap receives the connections of links. It may return nil for a direction that it does not
// watch. Its methods must be safe for concurrent use.
type Tap interface {
	// Connect is called when the first data of a connection comes, which may be one that was
	// there before the tap.
	Connect(w Way) (requests, replies Watcher)
}

// A Watcher sees one direction of a connection. Its methods are called one at a time, and hold
// the data up for as long as they take.
type Watcher interface {
	// Enter is called with data as it comes, before anything is done with it. Nobody changes the
	// data, then or later. What is returned names it from then on.
	Enter(data []byte) (chunk int)
	// Leave says that a chunk went on to the receiver's socket, Lose that it never will.
	Leave(chunk int)
	Lose(chunk int)
	// End says that the connection ends: whatever has entered and not left is lost.
	End()
}

// A Guard decides what becomes of single messages. It stands behind the tap, so that the tap
// sees what it keeps back.
type Guard interface {
	Connect(w Way) (requests, replies Gate)
}

// A Gate takes one direction of a connection apart.
type Gate interface {
	// Pass is called with data as it comes and returns it in pieces, in order. Bytes that are
	// not returned, such as the begin of a message, come before those of a later call; if none
	// is called they are lost.
	Pass(data []byte) []Piece
}

// A Piece is data about which was decided.
type Piece struct {
	Data []byte
	Lost bool            // it does not go on
	Free <-chan struct{} // it, and all behind it, waits until this is closed; nil: it does not
	Ends bool            // there is no data: the connection ends here, in both directions
}

// taps are the tap and the guard of a link, and may change while it has connections.
type taps struct {
	mu    sync.Mutex // guards what follows, but for turn
	way   Way
	tap   Tap
	guard Guard
	turn  atomic.Int64 // counts the changes
}

// change edits what a link has, for its connections too.
func (t *taps) change(edit func(*taps)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	edit(t)
	t.turn.Add(1)
}

// Tap passes all later traffic of the link to a tap; nil ends that.
func (l *Link) Tap(t Tap) {
	if l.taps != nil {
		l.taps.change(func(s *taps) { s.tap = t })
	}
}

// Guard has a guard decide about everything that enters the link from now on; nil ends that.
func (l *Link) Guard(g Guard) {
	if l.taps != nil {
		l.taps.change(func(s *taps) { s.guard = g })
	}
}

// Way says whom the link joins; the zero Way if it is made of parts of other links.
func (l *Link) Way() Way {
	if l.taps == nil {
		return Way{}
	}
	l.taps.mu.Lock()
	defer l.taps.mu.Unlock()
	return l.taps.way
}

// Tap passes all later traffic of the links to taps; nil ends that. The index of a link is its
// index in Ways.
func (c *Cluster) Tap(on func(link int) Tap) {
	for i, l := range c.links {
		if on == nil {
			l.Tap(nil)
			continue
		}
		l.Tap(on(i))
	}
}

// Guard lets a guard decide about everything that enters any link from now on; nil ends that.
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
