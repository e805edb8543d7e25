package simulate

import (
	"time"

	"locktorture/internal/resp"
)

// A real server looks ten times a second for keys that are over, and tells whoever watches
// them, and for clients that wait in it and whose time is over. This one does so because it is
// asked to: its own timer stands still.
const cronEvery = 100 * time.Millisecond

// cron is the number of the connection over which it is asked.
const cron = 0

// watch begins the ticks when a client waits in a server for the first time.
func (w *world) watch(n *node) {
	if w.ticking || !n.srv.Waiting() {
		return
	}
	w.ticking = true
	w.at((w.now/int64(cronEvery)+1)*int64(cronEvery), w.tick)
}

// wake lets a server that stood still look at once for clients whose time is over meanwhile.
func (w *world) wake(n *node) {
	n.goOn()
	if n.stops > 0 || n.down || !n.srv.Waiting() {
		return
	}
	if err := n.sweep(w.now); err != nil {
		w.fail("%s: %w", n.name, err)
	}
}

// tick lets all servers look for keys that are over. The answer is for nobody.
func (w *world) tick() {
	for _, n := range w.nodes {
		if n.down || n.stops > 0 {
			continue
		}
		if err := n.sweep(w.now); err != nil {
			w.fail("%s: %w", n.name, err)
		}
	}
	w.after(cronEvery, w.tick)
}

// sweep looks at all keys, which drops those that are over.
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
