package timeline

// NoticeTakes returns how many ns a notice may take on this machine: one round trip, while the
// server and the process of the holder are each kept from running.
func (s *Run) NoticeTakes(from, to int64) int64 { return s.UsualTrip + 2*s.Pace(from, to) }

// notice computes how late the holder of a watched lease learnt that the lock had been granted to
// another. What a notice may take on this machine, and the time for which the client was stopped or
// the harness kept from running, are nobody's fault. A notice in time ends the promise with the
// other grant.
func (s *Run) notice(l *Lease) {
	if !s.Options.OnlyWatched() || l.Next == nil {
		return
	}
	from, to := max(l.Next.Granted(), l.Granted()), min(l.Told, s.End)
	if to <= from {
		return
	}
	lag := to - from - s.Idle(l.Client, from, to, false) - s.NoticeTakes(from, to)
	if lag > 0 {
		l.Lag = lag
		return
	}
	l.End = from
}
