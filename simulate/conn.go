package simulate

import (
	"time"

	"locktorture/simulate/machine"
)

// A conn is a connection of a process to a server.
type conn struct {
	w      *world
	client *process
	node   *node
	file   *machine.File
	number int    // of the connection in this run
	name   uint64 // what it is, for draws: of whom, to whom, which

	to, from way
	rest     []byte   // of a request that is not whole
	asked    []string // requests that are not answered
	over     bool
}

// A way is one direction of a connection. What is sent arrives in order.
type way struct {
	n    uint64 // messages so far
	last int64  // when the last one arrives
}

// Latencies are even in this range.
const (
	leastLatency = 60 * time.Microsecond
	mostLatency  = 180 * time.Microsecond
)

// The directions, for draws.
const (
	out  = 0
	back = 1
)

// connect opens a connection.
func (p *process) connect(n *node) *machine.File {
	p.dials[n.number]++
	p.w.conns++
	c := &conn{w: p.w, client: p, node: n, number: p.w.conns, file: &machine.File{}}
	c.name = mix(0, 'c', uint64(p.number), uint64(n.number), p.dials[n.number])
	c.file.Tag = c
	p.conns = append(p.conns, c)
	p.w.note("dial", c.number, []byte(n.name))
	c.send(&c.to, out, func() {
		answer := refusal
		if !c.over {
			if err := n.srv.Connect(c.number); err != nil {
				p.w.fail("%s: %w", n.name, err)
				return
			}
			n.conns[c.number] = c
			answer = taken
		}
		c.send(&c.from, back, func() { c.arrive([]byte(answer)) })
	})
	return c.file
}

// send lets something arrive at the other end.
func (c *conn) send(w *way, direction uint64, arrive func()) {
	w.n++
	spread := uint64(mostLatency - leastLatency)
	latency := int64(leastLatency) + int64(mix(c.w.cfg.Order.Seed, 'm', c.name, direction, w.n)%spread)
	w.last = max(c.w.now+latency, w.last+1)
	c.w.at(w.last, arrive)
}

// request is a message of the client.
func (c *conn) request(b []byte) {
	c.w.note("send", c.number, b)
	c.w.res.Messages++
	c.sending(b)
	c.send(&c.to, out, func() {
		if c.over {
			return
		}
		wall := began + c.w.now
		err := c.node.srv.Feed(wall, c.number, b, func(number int, reply []byte) {
			if to := c.node.conns[number]; to != nil {
				to.reply(reply)
			}
		})
		if err != nil {
			c.w.fail("%s: %w", c.node.name, err)
		}
	})
}

// reply is a message of the server.
func (c *conn) reply(b []byte) {
	c.w.note("reply", c.number, b)
	c.replying(b)
	c.send(&c.from, back, func() { c.arrive(b) })
}

// arrive gives the client something to read.
func (c *conn) arrive(b []byte) {
	if c.over || c.client.proc.Done() {
		return
	}
	c.w.note("arrive", c.number, b)
	c.file.Deliver(b)
	c.client.kick()
}

// closed is the client's end of the connection. What it had sent arrives all the same.
func (c *conn) closed() {
	c.w.note("close", c.number, nil)
	c.send(&c.to, out, func() {
		if !c.over {
			c.over = true
			c.node.srv.Disconnect(c.number)
			delete(c.node.conns, c.number)
		}
	})
}
