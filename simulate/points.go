package simulate

import (
	"locktorture/internal/resp"
	"locktorture/nemesis/points/schedule"
)

// A Point is a moment of a run at which a fault can strike. Its name does not depend on its time:
// "c1 send SET redis-2 #3" is the third SET from client 1 to that server, "c2 reply SET=OK redis-1
// #1" the first OK to a SET, and "c1 gate write #1" the gate before the first write. There are no
// points in the introductory messages of libraries, nor outside of the main phase.
type Point struct {
	schedule.Point
	At int64 // ns of virtual time
}

// sending reaches the points of a request, one for each command that is complete by now.
func (c *conn) sending(b []byte, m *message) {
	if c.node.member != nil {
		c.called(schedule.Send, b, m)
		return
	}
	c.rest = append(c.rest, b...)
	for len(c.rest) > 0 {
		n, words, err := resp.Command(c.rest)
		if err != nil {
			return
		}
		c.rest = c.rest[n:]
		what, point := c.names.Command(words)
		c.point(schedule.Send, what, point, m)
	}
}

// replying reaches the point of a reply.
func (c *conn) replying(b []byte, m *message) {
	if c.node.member != nil {
		c.called(schedule.Reply, b, m)
		return
	}
	what, point := c.names.Reply(b)
	c.point(schedule.Reply, what, point, m)
}

func (c *conn) point(kind, what string, point bool, m *message) {
	if c.client.client == 0 || !point {
		return
	}
	at := schedule.Point{Client: c.client.client, Kind: kind, What: what, Node: c.node.number}
	if c.node.member != nil {
		at.Node, at.Server = 0, schedule.Etcd
	}
	c.w.point(at, site{c.client, m})
}

// called reaches the points of the messages that end in b, the next data on a connection to a
// server that is a guest. kind is Send for data of the client, and Reply for data of the
// server.
func (c *conn) called(kind string, b []byte, m *message) {
	if c.client.client == 0 || c.w.cfg.Cluster.Names == nil {
		return
	}
	if c.calls == nil {
		c.calls = c.w.cfg.Cluster.Names()
	}
	for _, what := range c.calls(kind == schedule.Reply, b) {
		c.point(kind, what, true, m)
	}
}
