package simulate

import (
	"time"

	"locktorture/nemesis/points/schedule"
)

// signal stops or kills the client of a fault. With a delay, the message waits at its point
// meanwhile, as it does in a run on real servers.
func (b *blow) signal(s site) {
	b.client = s.client
	late := b.late(s)
	if late == 0 {
		b.halted()
		return
	}
	s.m.way.held++
	b.w.clock.after(late, func() {
		if why := b.excuse(s); why != "" {
			b.begun = false
			b.miss(why)
		} else {
			b.halted()
		}
		s.m.way.letGo(b.w.clock)
	})
}

// late returns the time for which the client keeps running after the point. It is 0 at a gate,
// where the client waits for the harness.
func (b *blow) late(s site) time.Duration {
	if s.m == nil || b.Kind != schedule.Pause && b.Kind != schedule.Kill {
		return 0
	}
	return b.w.cfg.Late
}

// halted stops the client of a fault.
func (b *blow) halted() {
	b.client.proc.Halt()
	if b.Kind == schedule.Kill {
		b.client.doomed = true
		b.struck(nil)
		return
	}
	// The harness receives the message first and lets the client go on, unless the client was still
	// opening its lock: then the harness does not know it.
	b.struck(func() { b.w.clock.after(0, func() { b.w.clock.after(0, b.client.goOn) }) })
}
