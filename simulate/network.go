package simulate

import (
	"fmt"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
)

// A hold at a gate, or on servers that its message does not go to, waits for what the client
// sends next, or is sent.
type armed struct {
	b      *blow
	client int
	node   *node
	dir    int
}

// hold keeps back what is sent on the connection of the message, from it on, and on the next
// connection to each further server that something is sent on.
func (w *world) hold(b *blow, m *message) {
	dir := out
	if b.At.Kind == schedule.Reply {
		dir = back
	}
	for _, n := range b.Strikes() {
		if m != nil && m.conn.node.number == n {
			w.keep(b, m)
			continue
		}
		w.armed = append(w.armed, armed{b, b.At.Client, w.nodes[n-1], dir})
	}
}

// holdArmed keeps a message back that a hold waits for.
func (w *world) holdArmed(m *message) {
	for i, a := range w.armed {
		if a.client == m.conn.client.client && a.node == m.conn.node && a.dir == m.way.dir {
			w.armed = slices.Delete(w.armed, i, i+1)
			w.keep(a.b, m)
			return
		}
	}
}

// keep keeps a way of a connection back until the blow is over.
func (w *world) keep(b *blow, m *message) {
	way := m.way
	way.held++
	if before := b.undo; b.inPlace {
		b.undo = func() { before(); way.letGo(w) }
		return
	}
	w.struck(b, func() { way.letGo(w) })
}

// letGo sends what was kept back, in order, if nothing else keeps it.
func (y *way) letGo(w *world) {
	if y.held--; y.held > 0 {
		return
	}
	kept := y.kept
	y.kept = nil
	for _, k := range kept {
		y.depart(w, k)
	}
}

// resetTime is how long a connection lives on whose message was lost, at least.
const resetTime = 100 * time.Microsecond

// drop loses a message. What is sent after it, either way, is lost too, until both ends are
// told that the connection is broken.
func (w *world) drop(b *blow, m *message) {
	c := m.conn
	c.silent = true
	w.struck(b, c.cut)
}

// reset breaks the connection of a message once that has arrived, and those of the client to
// further servers now.
func (w *world) reset(b *blow, m *message) (why string) {
	var cut []*conn
	for _, n := range b.Strikes() {
		if m != nil && m.conn.node.number == n {
			m.broken = true
			continue
		}
		for _, c := range w.nodes[n-1].open() {
			if c.client.client == b.At.Client {
				cut = append(cut, c)
			}
		}
	}
	if len(cut) == 0 && (m == nil || !m.broken) {
		return fmt.Sprintf("c%d has no such connection", b.At.Client)
	}
	w.struck(b, nil)
	for _, c := range cut {
		w.after(0, c.cut)
	}
	return ""
}

// A lagging is a message that waits until another connection's has passed it.
type lagging struct {
	b    *blow
	conn *conn
}

// reorder keeps a message back until the next one of another connection has arrived, from the
// same server or at it.
func (w *world) reorder(b *blow, m *message) {
	n := m.conn.node
	m.way.held++
	way := m.way
	n.lagging[way.dir] = append(n.lagging[way.dir], lagging{b, m.conn})
	w.struck(b, func() {
		n.lagging[way.dir] = slices.DeleteFunc(n.lagging[way.dir], func(l lagging) bool { return l.b == b })
		way.letGo(w)
	})
}

// passed tells that a message of a client has arrived: those that wait for it follow.
func (c *conn) passed(dir int) {
	if c.client.client == 0 {
		return
	}
	for _, l := range slices.Clone(c.node.lagging[dir]) {
		if l.conn != c {
			c.w.heal(l.b)
		}
	}
}
