package checker

// noticeTakes is how long a notice may take on this machine: one round trip, and that
// the server and the holder's process are each kept from running for a while.
func (s *survey) noticeTakes(from, to int64) int64 { return s.usualTrip + 2*s.pace(from, to) }

// notice judges how a watched lease without declared validity learnt that another had been
// granted. The time for which the client was stopped or the machine kept the harness from
// running, and what a notice may take, are nobody's fault; then the promise ended with the
// other grant.
func (v *survey) notice(l *lease) {
	if !v.o.onlyWatched() || l.next == nil {
		return
	}
	from, to := max(l.next.granted(), l.granted()), min(l.told, v.end)
	if to <= from {
		return
	}
	lag := to - from - v.idle(l.client, from, to, false) - v.noticeTakes(from, to)
	if lag > 0 {
		l.lag = lag
		return
	}
	l.end = from
}
