package checker

import (
	"time"

	"locktorture/checker/incident"
	"locktorture/checker/rule"
	"locktorture/history"
	"locktorture/timeline"
)

// watchedLocks asks the rules about the leases of a run as far as it has come, as soon as it is
// certain that no later entry can excuse what they find.
type watchedLocks struct {
	o    timeline.Options
	live *timeline.Live
	met  []meeting
}

// A meeting is a grant of a lock while another lease may still have been promised. It is kept
// until it is certain that the holder of the other lease was alive.
type meeting struct{ earlier, later *timeline.Lease }

// killTold is the longest time, in ns, from the kill of a client to the record of its death.
const killTold = int64(250 * time.Millisecond)

func newWatchedLocks(o timeline.Options) *watchedLocks {
	s := &watchedLocks{o: o}
	s.live = timeline.NewLive(o, s.granted)
	return s
}

func (s *watchedLocks) feed(op *history.Op) []incident.Anomaly {
	if s.o.Meets() {
		return nil // at a latch or a barrier nobody is promised anything alone
	}
	s.live.Feed(op)
	var found []incident.Anomaly
	if g := s.live.Lease(op); g != nil && op.Type == history.Invoke && (op.F == history.Read || op.F == history.Write || op.F == history.CAS) {
		s.live.Promise(g)
		if a, ok := rule.Overran(s.o, &timeline.Access{Inv: op, Lease: g}); ok {
			found = append(found, a)
		}
	}
	return append(found, s.certain(op)...)
}

// granted notes the leases from which the grant may have taken the lock.
func (s *watchedLocks) granted(l *timeline.Lock, w *timeline.Call) {
	for _, g := range l.Leases {
		if g.RelCall != nil || g.Died() || g.Process == w.Lease.Process || !g.Excludes(w.Lease) {
			continue
		}
		if s.live.Promise(g); w.Lease.Granted() < g.End {
			s.met = append(s.met, meeting{g, w.Lease})
		}
	}
}

// certain judges the meetings about which enough is known: that the holder of the other lease
// was alive, and what the grant itself promised.
func (s *watchedLocks) certain(op *history.Op) []incident.Anomaly {
	var found []incident.Anomaly
	var open []meeting
	for _, m := range s.met {
		alive := op.Client == m.earlier.Client && op.F != history.Lost || op.Time > m.later.Granted()+killTold
		told := !s.o.Bounded || len(m.later.Answers) > 0 || m.later.Over != nil || m.later.RelCall != nil || m.later.Died()
		if !alive || !told {
			open = append(open, m)
			continue
		}
		s.live.Promise(m.earlier)
		s.live.Promise(m.later)
		if a, ok := rule.Beside(s.o, m.earlier, m.later); ok {
			found = append(found, a)
		}
	}
	s.met = open
	return found
}
