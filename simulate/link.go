package simulate

import "locktorture/simulate/inside"

// A link is all connections of a client to a server, as a script disturbs them: what
// cluster.Link is on real servers.
type link struct {
	w              *world
	client, server int

	slow  int64
	cut   bool
	holds [2]*linkHold // by direction
}

// A linkHold keeps back what one connection sends: the one that sends next.
type linkHold struct {
	pass  int  // messages that still pass
	way   *way // of the connection; nil: none has sent
	bytes int  // kept back
	on    bool // something is
}

// conns are the connections of the link, in the order in which they were made.
func (l *link) conns() (all []*conn) {
	for _, c := range l.w.nodes[l.server-1].open() {
		if c.client.client == l.client {
			all = append(all, c)
		}
	}
	return all
}

// pass sends data, or the end of a connection, over a link that may be disturbed. It reports
// false if it is lost at once.
func (c *conn) pass(y *way, bytes int, arrive func()) bool {
	l := c.w.links[[2]int{c.client.client, c.node.number}]
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

// take hears what is sent next over its link.
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

// hold keeps back what the connection sends that sends next, but the first so many messages.
func (l *link) hold(dir, pass int) { l.holds[dir] = &linkHold{pass: pass} }

// held is how many bytes are kept back.
func (l *link) held() (n int) {
	for _, h := range l.holds {
		if h != nil {
			n += h.bytes
		}
	}
	return n
}

// answered is the number of connections that are there over which something has come back.
func (l *link) answered() (n int) {
	for _, c := range l.conns() {
		if c.answered {
			n++
		}
	}
	return n
}

// letGo ends a hold.
func (l *link) letGo(dir int) {
	h := l.holds[dir]
	l.holds[dir] = nil
	if h != nil && h.on {
		h.way.letGo(l.w)
	}
}

// heal ends all disturbances. What was kept back goes out; connections that were there while
// all was lost break.
func (l *link) heal() {
	l.letGo(out)
	l.letGo(back)
	l.slow = 0
	for _, c := range l.conns() {
		c.to.slow, c.from.slow = 0, 0
		if l.cut {
			l.w.after(0, c.cut)
		}
	}
	l.cut = false
}

// reset breaks the connections that are there, with what is on its way. All disturbances end.
func (l *link) reset() {
	l.slow, l.cut, l.holds = 0, false, [2]*linkHold{}
	for _, c := range l.conns() {
		l.w.after(0, c.cut)
	}
}

// direction returns the number of the direction with that name.
func direction(name string) int {
	if name == inside.Replies {
		return back
	}
	return out
}
