package timeline

import "slices"

// Within reports whether a lease is part of a hold that its process had already.
func (l *Lease) Within() bool { return l.Inner || l.repeats }

// Reenters reports whether a holder asked for the lock again.
func (w *Call) Reenters() bool { return w.Within != nil || w.Lease != nil && w.Lease.repeats }

// Reentered reports whether a holder asked for the lock again in one of the calls.
func Reentered(waits []*Call) bool { return slices.ContainsFunc(waits, (*Call).Reenters) }

// Alike reports whether no fence can tell two grants apart: one process has the same token for
// both, as after a re-entry for which the promise of its lease came to an end.
func (l *Lease) Alike(m *Lease) bool {
	return l.Process == m.Process && l.Token == m.Token && l.Token != 0
}

// Reenters reports whether b is the same holder's re-entry of a, which repeats its token.
func (a *Lease) Reenters(b *Lease) bool {
	return a.Process == b.Process && b.Granted() < a.Gone
}

// InPlace reports whether a lease is a re-entry of one that was still promised. Another token is
// then token-changed, whatever it is.
func (a *Lease) InPlace() bool { return a.Inner && a.Call.Within.End > a.Granted() }
