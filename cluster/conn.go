package cluster

import (
	"sync"

	"github.com/Shopify/toxiproxy/v2/toxics"
)

// A port is one direction of a proxy: a valve, and the taps that see what passes.
type port struct {
	*valve
	reply bool
	conns *conns
}

var _ toxics.StatefulToxic = port{}

// NewState implements toxics.StatefulToxic. A proxy calls it for both directions of a
// connection before it accepts the next one, which is how the two find each other.
func (p port) NewState() any { return p.conns.next(p.reply) }

// Pipe carries the data of one connection in one direction until it ends.
func (p port) Pipe(stub *toxics.ToxicStub) {
	f := &flow{valve: p.valve, stub: stub, healed: p.state.Load().healed}
	f.watch.reply = p.reply
	f.watch.conn, _ = stub.State.(*conn)
	f.run()
	f.watch.end()
}

// conns pair the directions of the connections of one proxy.
type conns struct {
	taps *taps

	mu   sync.Mutex
	half *conn // one direction of it is there
}

func (c *conns) next(reply bool) *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !reply || c.half == nil {
		c.half = &conn{taps: c.taps}
	}
	return c.half
}

// A conn is one connection through a proxy. Its tap and its guard hear of it when its first
// data comes.
type conn struct {
	taps *taps

	mu       sync.Mutex
	turn     int64
	watchers [2]Watcher // of requests and of replies
	gates    [2]Gate
}

// watch returns the present watcher and gate of a direction; each may be nil.
func (c *conn) watch(reply bool) (Watcher, Gate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taps.mu.Lock()
	way, tap, guard, turn := c.taps.way, c.taps.tap, c.taps.guard, c.taps.turn.Load()
	c.taps.mu.Unlock()
	if turn > c.turn {
		c.turn = turn
		c.watchers, c.gates = [2]Watcher{}, [2]Gate{}
		if tap != nil {
			c.watchers[0], c.watchers[1] = tap.Connect(way)
		}
		if guard != nil {
			c.gates[0], c.gates[1] = guard.Connect(way)
		}
	}
	return c.watchers[direction(reply)], c.gates[direction(reply)]
}

func direction(reply bool) int {
	if reply {
		return 1
	}
	return 0
}
