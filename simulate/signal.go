package simulate

import (
	"time"

	"locktorture/nemesis/points/schedule"
)

// signal stops the client of a blow, or kills it. If that is late, the message waits at its point
// meanwhile, as it does in a run on real servers.
func (w *world) signal(b *blow, s site) {
	b.client = s.client
	late := w.late(b, s)
	if late == 0 {
		w.halted(b)
		return
	}
	s.m.way.held++
	w.after(late, func() {
		if why := w.excuse(b, s); why != "" {
			b.begun = false
			w.miss(b, why)
		} else {
			w.halted(b)
		}
		s.m.way.letGo(w)
	})
}

// late is how long the client of a blow goes on after the point. At a gate it waits for the harness.
func (w *world) late(b *blow, s site) time.Duration {
	if s.m == nil || b.Kind != schedule.Pause && b.Kind != schedule.Kill {
		return 0
	}
	return w.cfg.Late
}

// halted halts the client of a blow where it is.
func (w *world) halted(b *blow) {
	b.client.proc.Halt()
	if b.Kind == schedule.Kill {
		b.client.doomed = true
		w.struck(b, nil)
		return
	}
	// The harness, which is told first, lets it go on, unless it was opening its lock: then the
	// harness knows nothing of it.
	w.struck(b, func() { w.after(0, func() { w.after(0, b.client.goOn) }) })
}
