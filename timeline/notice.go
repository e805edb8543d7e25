package timeline

// NoticeTakes returns how many ns a notice may take on this machine: one round trip, while the
// server and the process of the holder are each kept from running.
func (s *Run) NoticeTakes(from, to int64) int64 { return s.UsualTrip + 2*s.Pace(from, to) }

// notice computes how late the holder of a watched lease learnt that the lock had been granted to
// another. Some of that time is nobody's fault and is subtracted: what a notice may take on
// this machine, and the time for which the client was stopped or the harness was kept from
// running. If the notice came in time, the promise ends at the moment of the other grant.
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
