package timeline

// noticeTakes is how long a notice may take on this machine: one round trip, and that
// the server and the holder's process are each kept from running for a while.
func (s *Run) NoticeTakes(from, to int64) int64 { return s.UsualTrip + 2*s.Pace(from, to) }

// notice judges how a watched lease without declared validity learnt that another had been
// granted. The time for which the client was stopped or the machine kept the harness from
// running, and what a notice may take, are nobody's fault; then the promise ended with the
// other grant.
func (v *Run) notice(l *Lease) {
	if !v.Options.OnlyWatched() || l.Next == nil {
		return
	}
	from, to := max(l.Next.Granted(), l.Granted()), min(l.Told, v.End)
	if to <= from {
		return
	}
	lag := to - from - v.Idle(l.Client, from, to, false) - v.NoticeTakes(from, to)
	if lag > 0 {
		l.Lag = lag
		return
	}
	l.End = from
}
