package timeline

import "slices"

// Within reports whether a lease is part of a hold that its client had already.
func (l *Lease) Within() bool { return l.Inner || l.repeats }

// Reenters reports whether a holder asked for the lock again.
func (w *Call) Reenters() bool { return w.Within != nil || w.Lease != nil && w.Lease.repeats }

// Holder returns the process in whose name the lock is asked for: a re-entry belongs to the
// process of the outer lease.
func (w *Call) Holder() int {
	switch {
	case w.Lease != nil:
		return w.Lease.Process
	case w.Within != nil:
		return w.Within.Process
	}
	return w.Process
}

// Reentered reports whether a holder asked for the lock again in one of the calls.
func Reentered(waits []*Call) bool { return slices.ContainsFunc(waits, (*Call).Reenters) }

// Alike reports whether no fence can tell two grants apart: one process has the same token for
// both, as with a re-entry after the promise of the outer lease has ended.
func (l *Lease) Alike(m *Lease) bool {
	return l.Process == m.Process && l.Token == m.Token && l.Token != 0
}

// Reenters reports whether b is a re-entry by the holder of a, so that b may repeat the token
// of a.
func (a *Lease) Reenters(b *Lease) bool {
	return a.Process == b.Process && b.Granted() < a.Gone
}

// InPlace reports whether a lease is a re-entry into a lease that was still promised. Any
// other token is then reported as token-changed, even a smaller one.
func (a *Lease) InPlace() bool { return a.Inner && a.Call.Within.End > a.Granted() }
