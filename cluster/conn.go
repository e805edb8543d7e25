package cluster

import "sync"

// A conn is one connection through a proxy. Its tap and its guard learn of it with its first data.
type conn struct {
	taps *taps

	mu       sync.Mutex
	turn     int64      // value of taps.turn when watchers and gates were last updated
	watchers [2]Watcher // of requests and of replies
	gates    [2]Gate
}

// watch returns the current watcher and gate of a direction. Each may be nil.
func (c *conn) watch(reply bool) (Watcher, Gate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taps.mu.Lock()
	way, tap, guard, turn := c.taps.way, c.taps.tap, c.taps.guard, c.taps.turn.Load()
	c.taps.mu.Unlock()
	if turn > c.turn {
		c.turn = turn
		c.watchers, c.gates = [2]Watcher{}, [2]Gate{}
		if tap != nil {
			c.watchers[0], c.watchers[1] = tap.Connect(way)
		}
		if guard != nil {
			c.gates[0], c.gates[1] = guard.Connect(way)
		}
	}
	return c.watchers[direction(reply)], c.gates[direction(reply)]
}

func direction(reply bool) int {
	if reply {
		return 1
	}
	return 0
}
