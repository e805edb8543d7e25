package simulate

import (
	"time"

	"locktorture/internal/resp"
)

// cronEvery is the interval of the servers' periodic work. Ten times a second, a real server
// expires keys, notifies their watchers, and ends blocked commands that have timed out. The timer
// of a simulated server does not run, so the world triggers this work.
const cronEvery = 100 * time.Millisecond

// cron is the connection number over which the world triggers the periodic work.
const cron = 0

// watch starts the periodic work when a client first blocks in a server.
func (w *world) watch(n *node) {
	if w.ticking || n.member != nil || !n.srv.Waiting() {
		return
	}
	w.ticking = true
	w.clock.at((w.clock.now/int64(cronEvery)+1)*int64(cronEvery), w.tick)
}

// wake resumes a stopped server, which at once ends the blocked commands that have timed out.
func (w *world) wake(n *node) {
	n.goOn()
	if n.stops > 0 || n.down || n.member != nil || !n.srv.Waiting() {
		return
	}
	if err := n.sweep(w.clock.now); err != nil {
		w.fail("%s: %w", n.name, err)
	}
}

// tick does the periodic work of all servers that run. Its replies are dropped.
func (w *world) tick() {
	for _, n := range w.nodes {
		if n.down || n.stops > 0 {
			continue
		}
		if err := n.sweep(w.clock.now); err != nil {
			w.fail("%s: %w", n.name, err)
		}
	}
	w.clock.after(cronEvery, w.tick)
}

// sweep scans all keys, which makes the server drop the expired ones.
func (n *node) sweep(now int64) error {
	if err := n.srv.Connect(cron); err != nil {
		return err
	}
	defer n.srv.Disconnect(cron)
	return n.srv.Feed(n.wall(now), cron, resp.Append(nil, "SCAN", "0", "COUNT", "1000"), func(number int, reply []byte) {
		if to := n.conns[number]; to != nil {
			to.reply(reply)
		}
	})
}
