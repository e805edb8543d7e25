package simulate

import (
	"time"

	"locktorture/nemesis/points/schedule"
)

// signal stops or kills the client of a fault. With a delay, the message waits at its point
// meanwhile, as it does in a run on real servers.
func (w *world) signal(b *blow, s site) {
	b.client = s.client
	late := w.late(b, s)
	if late == 0 {
		w.halted(b)
		return
	}
	s.m.way.held++
	w.clock.after(late, func() {
		if why := w.excuse(b, s); why != "" {
			b.begun = false
			w.miss(b, why)
		} else {
			w.halted(b)
		}
		s.m.way.letGo(w.clock)
	})
}

// late returns the time for which the client keeps running after the point. It is 0 at a gate,
// where the client waits for the harness.
func (w *world) late(b *blow, s site) time.Duration {
	if s.m == nil || b.Kind != schedule.Pause && b.Kind != schedule.Kill {
		return 0
	}
	return w.cfg.Late
}

// halted stops the client of a fault.
func (w *world) halted(b *blow) {
	b.client.proc.Halt()
	if b.Kind == schedule.Kill {
		b.client.doomed = true
		w.struck(b, nil)
		return
	}
	// The harness receives the message first and lets the client go on, unless the client was still
	// opening its lock: then the harness does not know it.
	w.struck(b, func() { w.clock.after(0, func() { w.clock.after(0, b.client.goOn) }) })
}
