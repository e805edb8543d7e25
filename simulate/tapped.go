package simulate

import "locktorture/cluster"

// tapped are who watches a connection, by direction; nil for nobody.
type tapped [2]cluster.Watcher

// tap finds out who watches. What the harness itself says is nobody's business.
func (c *conn) tap() {
	client := c.client.client
	if c.w.cfg.Tap == nil || client == 0 {
		return
	}
	if t := c.w.cfg.Tap(client, c.node.number); t != nil {
		c.taps[out], c.taps[back] = t.Connect(cluster.Way{Client: client, From: -1, To: c.node.number - 1})
	}
}

// enter tells of a message as it is sent, and returns what tells of its fate: whether it has
// arrived.
func (t tapped) enter(dir int, b []byte) (fate func(arrived bool)) {
	w := t[dir]
	if w == nil {
		return func(bool) {}
	}
	id := w.Enter(b)
	return func(arrived bool) {
		if arrived {
			w.Leave(id)
		} else {
			w.Lose(id)
		}
	}
}

// end tells that a connection is over, once.
func (t *tapped) end() {
	for _, w := range t {
		if w != nil {
			w.End()
		}
	}
	*t = tapped{}
}
