package simulate

import (
	"time"

	"locktorture/simulate/resp"
)

// A real server looks for keys that are over ten times a second, and tells whoever watches
// them. This one does so because it is asked to: its own timer stands still.
const cronEvery = 100 * time.Millisecond

// cron is the number of the connection over which it is asked.
const cron = 0

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
