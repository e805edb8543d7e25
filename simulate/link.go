package simulate

import "locktorture/simulate/inside"

// A link stands for all connections of a client to a server, so that a script can disturb them.
// cluster.Link does the same on real servers.
type link struct {
	w              *world
	client, server int

	slow    int64
	cut     bool
	severed int          // number of faults that cut two servers off from each other
	holds   [2]*linkHold // by direction; nil: none
}

// A linkHold holds back the messages of one connection: the first that sends.
type linkHold struct {
	pass  int  // number of messages that still pass
	way   *way // the connection's direction; nil: no message was sent yet
	bytes int  // number of bytes held back
	on    bool // at least one message is held back
}

// conns returns the open connections of the link, in the order of their dials.
func (l *link) conns() (all []*conn) {
	for _, c := range l.w.servers.all[l.server-1].open() {
		if c.client.who() == l.client {
			all = append(all, c)
		}
	}
	return all
}

// pass sends data, or the end of a connection, over a link that may be disturbed. It returns false
// if the message is lost at once.
func (c *conn) pass(y *way, bytes int, arrive func()) bool {
	l := c.w.net.links[[2]int{c.client.who(), c.node.number}]
	if l == nil {
		return c.send(y, arrive)
	}
	if l.cut {
		return false
	}
	y.slow = l.slow
	if h := l.holds[y.dir]; h != nil {
		h.take(y, bytes)
	}
	return c.send(y, arrive)
}

// take applies the hold to a message of the link.
func (h *linkHold) take(y *way, bytes int) {
	if h.way == nil && bytes > 0 {
		h.way = y
	}
	switch {
	case h.way != y:
	case h.pass > 0:
		h.pass--
	default:
		h.bytes += bytes
		if !h.on {
			h.on = true
			y.held++
		}
	}
}

// hold holds back one direction of a connection: of the next connection that sends. The first
// pass messages of that connection still pass.
func (l *link) hold(dir, pass int) { l.holds[dir] = &linkHold{pass: pass} }

// held returns the number of bytes held back.
func (l *link) held() (n int) {
	for _, h := range l.holds {
		if h != nil {
			n += h.bytes
		}
	}
	return n
}

// answered returns the number of open connections that have received a reply.
func (l *link) answered() (n int) {
	for _, c := range l.conns() {
		if c.answered {
			n++
		}
	}
	return n
}

// letGo ends a hold and sends the messages that it held back.
func (l *link) letGo(dir int) {
	h := l.holds[dir]
	l.holds[dir] = nil
	if h != nil && h.on {
		h.way.letGo(l.w.clock)
	}
}

// heal ends all disturbances. Messages that were held back are sent; if the link was cut, its
// connections break.
func (l *link) heal() {
	l.letGo(out)
	l.letGo(back)
	l.slow = 0
	for _, c := range l.conns() {
		c.to.slow, c.from.slow = 0, 0
		if l.cut {
			l.w.clock.after(0, c.cut)
		}
	}
	l.cut = false
}

// reset breaks the open connections and drops their messages. All disturbances end.
func (l *link) reset() {
	l.slow, l.cut, l.holds = 0, false, [2]*linkHold{}
	for _, c := range l.conns() {
		l.w.clock.after(0, c.cut)
	}
}

// direction returns the direction with the given name.
func direction(name string) int {
	if name == inside.Replies {
		return back
	}
	return out
}
