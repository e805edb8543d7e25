package simulate

import "locktorture/cluster"

// tapped holds the watchers of a connection, by direction; nil: none.
type tapped [2]cluster.Watcher

// tap connects the watchers. Connections of the harness are not watched.
func (c *conn) tap() {
	client := c.client.client
	if c.w.cfg.Tap == nil || client == 0 {
		return
	}
	if t := c.w.cfg.Tap(client, c.node.number); t != nil {
		c.taps[out], c.taps[back] = t.Connect(cluster.Way{Client: client, From: -1, To: c.node.number - 1})
	}
}

// enter reports a message when it is sent. It returns a function that reports whether the message
// has arrived.
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

// end reports the end of a connection, once.
func (t *tapped) end() {
	for _, w := range t {
		if w != nil {
			w.End()
		}
	}
	*t = tapped{}
}
