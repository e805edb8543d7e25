package simulate

import (
	"time"

	"locktorture/nemesis/points"
	"locktorture/simulate/machine"
)

// A conn is a connection of a process to a server.
type conn struct {
	w      *world
	client *process
	node   *node
	file   *machine.File
	port   int           // port of a guest
	peer   *machine.File // the server's end, if it is a guest
	number int           // number of the connection in this run
	name   uint64        // hash of client, server and dial number, which seeds the connection's draws

	to, from way
	rest     []byte // start of an incomplete request
	names    points.Conn
	calls    func(reply bool, b []byte) []string // names the messages to and from a server that is a guest
	silent   bool                                // messages are lost
	gone     bool                                // the server has closed its end or has died; the client may not know
	over     bool
	answered bool // a reply has reached the client
	taps     tapped
}

// A way is one direction of a connection. Messages arrive in the order in which they were sent.
type way struct {
	dir  int
	n    uint64 // number of messages so far
	last int64  // arrival time of the latest message, ns
	slow int64  // additional latency of each message, ns
	held int    // number of faults that hold messages back
	kept []departure
}

// A departure is a message that is held back.
type departure struct {
	latency int64
	arrive  func()
}

// Latencies are drawn evenly from this range.
const (
	leastLatency = 60 * time.Microsecond
	mostLatency  = 180 * time.Microsecond
)

// The directions of a connection, which are part of the seed of draws.
const (
	out  = 0
	back = 1
)

// connect connects a file to a port of a server. The answer arrives later.
func (p *process) connect(n *node, port int, f *machine.File) *machine.File {
	p.dials[n.number]++
	p.w.net.conns++
	c := &conn{w: p.w, client: p, node: n, port: port, number: p.w.net.conns, file: f, from: way{dir: back}}
	c.name = mix(0, 'c', uint64(p.number), uint64(n.number), p.dials[n.number])
	c.file.Tag = c
	c.tap()
	p.conns = append(p.conns, c)
	p.w.sum.note("dial", c.number, []byte(n.name))
	if l := p.w.net.links[[2]int{p.who(), n.number}]; l != nil && l.severed > 0 {
		return c.file // nobody answers
	}
	c.send(&c.to, func() {
		answer := refusal
		if !c.over {
			ok, err := n.accept(c)
			switch {
			case err != nil:
				p.w.fail("%s: %w", n.name, err)
				return
			case ok:
				answer = taken
			}
		}
		c.send(&c.from, func() { c.arrive([]byte(answer)) })
	})
	return c.file
}

// send sends a message, whose arrival calls arrive. It returns false if the message is lost at
// once.
func (c *conn) send(y *way, arrive func()) bool {
	if c.silent || c.over {
		return false
	}
	y.n++
	spread := uint64(mostLatency - leastLatency)
	latency := y.slow + int64(leastLatency) + int64(mix(c.w.cfg.Order.Seed, 'm', c.name, uint64(y.dir), y.n)%spread)
	if y.held > 0 {
		y.kept = append(y.kept, departure{latency, arrive})
		return true
	}
	y.depart(c.w.clock, departure{latency, arrive})
	return true
}

// depart plans the arrival of a message, after all earlier ones.
func (y *way) depart(k *clock, d departure) {
	y.last = max(k.now+d.latency, y.last+1)
	k.at(y.last, d.arrive)
}

// request sends a message of the client.
func (c *conn) request(b []byte) {
	c.w.sum.note("send", c.number, b)
	if c.client.node == nil {
		c.w.res.Messages++
	}
	m := &message{conn: c, way: &c.to}
	fate := c.taps.enter(out, b)
	c.sending(b, m)
	sent := c.pass(&c.to, len(b), func() {
		fate(!c.over)
		c.node.do(func() { c.serve(b) })
		c.passed(out)
		if m.broken {
			c.cut()
		}
	})
	if !sent {
		fate(false)
	}
}

// serve passes a request to the server, which replies through reply.
func (c *conn) serve(b []byte) {
	if c.over || c.gone {
		return
	}
	if c.node.member != nil {
		c.peer.Deliver(b)
		c.node.member.proc.kick()
		return
	}
	err := c.node.srv.Feed(c.node.wall(), c.number, b, func(number int, reply []byte) {
		if to := c.node.conns[number]; to != nil {
			to.reply(reply)
		}
	})
	if err == nil && c.w.cfg.Served != nil && c.client.client > 0 {
		err = c.w.cfg.Served(c.client.client, c.node.number, b, c.node.run)
	}
	if err != nil {
		c.w.fail("%s: %w", c.node.name, err)
	}
	c.w.servers.watch(c.node)
}

// reply sends a message of the server.
func (c *conn) reply(b []byte) {
	c.w.sum.note("reply", c.number, b)
	m := &message{conn: c, way: &c.from}
	fate := c.taps.enter(back, b)
	c.replying(b, m)
	sent := c.pass(&c.from, len(b), func() {
		fate(!c.over && !c.client.proc.Done())
		c.arrive(b)
		c.answered = true
		c.passed(back)
		if m.broken {
			c.cut()
		}
	})
	if !sent {
		fate(false)
	}
}

// arrive delivers a message to the client.
func (c *conn) arrive(b []byte) {
	if c.over || c.client.proc.Done() {
		return
	}
	c.w.sum.note("arrive", c.number, b)
	c.file.Deliver(b)
	c.client.kick()
}

// closed is called when the client closes the connection. Messages already sent still arrive.
func (c *conn) closed() {
	c.w.sum.note("close", c.number, nil)
	c.pass(&c.to, 0, func() { c.node.do(func() { c.disconnect(false) }) })
}

// disconnect ends the connection at the server. With broken, the connection breaks off instead
// of ending in order.
func (c *conn) disconnect(broken bool) {
	if c.over {
		return
	}
	c.over = true
	c.taps.end()
	if !c.gone {
		c.node.leave(c, broken)
	}
	delete(c.node.conns, c.number)
}

// orphan ends the connection because its server died. The client notices after it has received the
// earlier replies; if these are held back, so is the end.
func (c *conn) orphan() {
	if c.over || c.gone {
		return
	}
	c.w.sum.note("gone", c.number, nil)
	c.gone = true
	if c.node.member == nil {
		c.node.srv.Disconnect(c.number)
	}
	c.pass(&c.from, 0, c.cut)
}

// cut breaks the connection at both ends.
func (c *conn) cut() {
	if c.over {
		return
	}
	c.w.sum.note("cut", c.number, nil)
	c.disconnect(true)
	if !c.client.proc.Done() {
		c.file.Reset()
		c.w.clock.after(0, c.client.kick)
	}
}
