package simulate

import (
	"locktorture/internal/resp"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
)

// A Point is a moment of a run at which a fault can strike. Its name says which one, in words
// that do not depend on when it is: "c1 send SET redis-2 #3" is the third SET of client 1 to
// that server, "c2 reply SET=OK redis-1 #1" the first OK to one. "c1 gate write #1" is the
// gate before its first write. The messages by which libraries introduce themselves are no
// points, and what comes before the main phase or after it is none.
type Point struct {
	schedule.Point
	At int64 // ns of virtual time
}

// sending comes to the points of a request, one for each command that is whole by now.
func (c *conn) sending(b []byte, m *message) {
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

// replying comes to the point of a reply.
func (c *conn) replying(b []byte, m *message) {
	what, point := c.names.Reply(b)
	c.point(schedule.Reply, what, point, m)
}

func (c *conn) point(kind, what string, point bool, m *message) {
	if c.client.client == 0 || !point {
		return
	}
	c.w.point(schedule.Point{Client: c.client.client, Kind: kind, What: what, Node: c.node.number}, site{c.client, m})
}

// gate is a client's that is about to take a step. It returns whether it waits there until it
// is told to go on.
func (w *world) gate(client int, step string) bool {
	struck := w.point(schedule.Point{Client: client, Kind: schedule.Gate, What: step}, site{client: w.drivers[client]})
	if struck {
		w.tell(inside.Message{Go: client})
	}
	return struck
}
