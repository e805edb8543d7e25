package simulate

import (
	"fmt"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
)

// A network is what lies between the processes and the servers.
type network struct {
	w     *world
	conns int              // number of connections so far
	links map[[2]int]*link // links that were disturbed, by client and server
	armed []armed          // holds that wait for a message
}

// link returns the link between a client and a server.
func (n *network) link(client, server int) *link {
	at := [2]int{client, server}
	if n.links[at] == nil {
		n.links[at] = &link{w: n.w, client: client, server: server}
	}
	return n.links[at]
}

// An armed hold waits for the next message between a client and a server. A fault at a gate, or one
// that names further servers, holds messages back in this way.
type armed struct {
	b      *blow
	client int
	node   *node
	dir    int
}

// holdArmed holds back a message for which a fault is armed.
func (n *network) holdArmed(m *message) {
	for i, a := range n.armed {
		if a.client == m.conn.client.client && a.node == m.conn.node && a.dir == m.way.dir {
			n.armed = slices.Delete(n.armed, i, i+1)
			a.b.keep(m)
			return
		}
	}
}

// disarm ends the wait of a fault for further messages.
func (n *network) disarm(b *blow) {
	n.armed = slices.DeleteFunc(n.armed, func(a armed) bool { return a.b == b })
}

// hold holds back messages in one direction: the message at its point with all that follow on its
// connection, and for each further server all from the next message on.
func (b *blow) hold(m *message) {
	dir := out
	if b.At.Kind == schedule.Reply {
		dir = back
	}
	for _, n := range b.Strikes() {
		if m != nil && m.conn.node.number == n {
			b.keep(m)
			continue
		}
		b.w.net.armed = append(b.w.net.armed, armed{b, b.At.Client, b.w.servers.all[n-1], dir})
	}
}

// keep holds back one direction of a connection until the fault ends.
func (b *blow) keep(m *message) {
	way := m.way
	way.held++
	if before := b.undo; b.inPlace {
		b.undo = func() { before(); way.letGo(b.w.clock) }
		return
	}
	b.struck(func() { way.letGo(b.w.clock) })
}

// letGo removes one hold of a direction and sends the waiting messages in order if it was the last.
func (y *way) letGo(k *clock) {
	if y.held--; y.held > 0 {
		return
	}
	kept := y.kept
	y.kept = nil
	for _, d := range kept {
		y.depart(k, d)
	}
}

// resetTime is the least time from the loss of a message to the break of its connection.
const resetTime = 100 * time.Microsecond

// drop loses a message, and all later messages of its connection in both directions. Both ends see
// the connection break when the fault ends.
func (b *blow) drop(m *message) {
	c := m.conn
	c.silent = true
	b.struck(c.cut)
}

// reset breaks the connection of a message when the message has arrived, and the client's
// connections to the other named servers at once.
func (b *blow) reset(m *message) (why string) {
	var cut []*conn
	for _, n := range b.Strikes() {
		if m != nil && m.conn.node.number == n {
			m.broken = true
			continue
		}
		for _, c := range b.w.servers.all[n-1].open() {
			if c.client.client == b.At.Client {
				cut = append(cut, c)
			}
		}
	}
	if len(cut) == 0 && (m == nil || !m.broken) {
		return fmt.Sprintf("c%d has no such connection", b.At.Client)
	}
	b.struck(nil)
	for _, c := range cut {
		b.w.clock.after(0, c.cut)
	}
	return ""
}

// A lagging message waits until a message of another connection has overtaken it.
type lagging struct {
	b    *blow
	conn *conn
}

// reorder holds a message back until the next message of another connection in the same direction
// has arrived at, or from, the same server.
func (b *blow) reorder(m *message) {
	n := m.conn.node
	m.way.held++
	way := m.way
	n.lagging[way.dir] = append(n.lagging[way.dir], lagging{b, m.conn})
	b.struck(func() {
		n.lagging[way.dir] = slices.DeleteFunc(n.lagging[way.dir], func(l lagging) bool { return l.b == b })
		way.letGo(b.w.clock)
	})
}

// passed is called when a message of a client has arrived. It releases the messages that waited to
// be overtaken.
func (c *conn) passed(dir int) {
	if c.client.client == 0 {
		return
	}
	for _, l := range slices.Clone(c.node.lagging[dir]) {
		if l.conn != c {
			l.b.heal()
		}
	}
}
