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
func (s *servers) watch(n *node) {
	if s.ticking || n.member != nil || !n.srv.Waiting() {
		return
	}
	s.ticking = true
	s.w.clock.at((s.w.clock.now/int64(cronEvery)+1)*int64(cronEvery), s.tick)
}

// wake resumes the stopped server, which at once ends the blocked commands that have timed out.
func (n *node) wake() {
	n.goOn()
	if n.stops > 0 || n.down || n.member != nil || !n.srv.Waiting() {
		return
	}
	n.sweep()
}

// tick does the periodic work of all servers that run. Its replies are dropped.
func (s *servers) tick() {
	for _, n := range s.all {
		if !n.down && n.stops == 0 {
			n.sweep()
		}
	}
	s.w.clock.after(cronEvery, s.tick)
}

// sweep scans all keys, which makes the server drop the expired ones.
func (n *node) sweep() {
	err := n.srv.Connect(cron)
	if err == nil {
		defer n.srv.Disconnect(cron)
		err = n.srv.Feed(n.wall(), cron, resp.Append(nil, "SCAN", "0", "COUNT", "1000"), func(number int, reply []byte) {
			if to := n.conns[number]; to != nil {
				to.reply(reply)
			}
		})
	}
	if err != nil {
		n.w.fail("%s: %w", n.name, err)
	}
}
