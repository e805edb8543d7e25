package simulate

import (
	"strings"

	"locktorture/simulate/inside"
)

// scripted answers a request of a harness that plays a script.
func (w *world) scripted(question string) int32 {
	if w.cfg.Order.Script == nil {
		return 0
	}
	var a, b, n int
	var by int64
	var rate float64
	var dir string
	var empty bool
	if text, over := strings.CutPrefix(question, strings.TrimSuffix(inside.AskOf, "%s")); over {
		w.res.Played = text
		return 0
	}
	switch {
	case scan(question, inside.AskSkew, &a, &by, &rate):
		w.servers.all[a-1].skew = skew{by, rate, w.clock.now}
	case scan(question, inside.AskKill, &a):
		n := w.servers.all[a-1]
		n.down = true
		w.clock.after(0, n.hangUp)
	case scan(question, inside.AskStart, &a, &empty):
		n := w.servers.all[a-1]
		w.clock.after(0, func() { n.kill(empty); n.down = false })
	case scan(question, inside.AskSlow, &a, &b, &by):
		w.net.link(a, b).slow = by
	case scan(question, inside.AskCut, &a, &b):
		w.net.link(a, b).cut = true
	case scan(question, inside.AskHold, &a, &b, &dir, &n):
		w.net.link(a, b).hold(direction(dir), n)
	case scan(question, inside.AskHeld, &a, &b):
		return int32(w.net.link(a, b).held())
	case scan(question, inside.AskAnswered, &a, &b):
		return int32(w.net.link(a, b).answered())
	case scan(question, inside.AskLetGo, &a, &b, &dir):
		w.net.link(a, b).letGo(direction(dir))
	case scan(question, inside.AskHeal, &a, &b):
		w.net.link(a, b).heal()
	case scan(question, inside.AskReset, &a, &b):
		w.net.link(a, b).reset()
	default:
		w.fail("a script asks %q", question)
	}
	return 0
}

// A skew is the change that a script has made to a server's wall clock.
type skew struct {
	by    int64   // ns by which the clock is ahead
	rate  float64 // rate of the clock since then; 0: unchanged
	since int64
}

// wall returns the time of the server's wall clock, in ns since 1970.
func (n *node) wall() int64 {
	now := n.w.clock.now
	t := began + now + n.offset + n.skew.by
	if n.skew.rate != 0 && n.skew.rate != 1 {
		t += int64(float64(now-n.skew.since) * (n.skew.rate - 1))
	}
	return t
}

// hangUp breaks all connections of a killed server.
func (n *node) hangUp() {
	for _, c := range n.open() {
		c.orphan()
	}
}
