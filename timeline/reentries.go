package timeline

import "slices"

// within reports whether a lease is part of a hold that its process had already.
func (l *Lease) Within() bool { return l.Inner || l.repeats }

// reenters reports whether a holder asked for the lock again.
func (w *Call) Reenters() bool { return w.Within != nil || w.Lease != nil && w.Lease.repeats }

// reentered reports whether a holder asked for the lock again.
func Reentered(waits []*Call) bool { return slices.ContainsFunc(waits, (*Call).Reenters) }

// alike reports whether no fence can tell two grants apart: one holder has the same token for
// both, as for a re-entry while the promise of its lease was over.
func (l *Lease) Alike(m *Lease) bool {
	return l.Process == m.Process && l.Token == m.Token && l.Token != 0
}

// reenters reports whether b is the same holder's re-entry of a, which repeats its token.
func (a *Lease) Reenters(b *Lease) bool {
	return a.Process == b.Process && b.Granted() < a.Gone
}

// inPlace reports whether a lease is a re-entry of one that was still promised: that its token
// is another is token-changed, whatever it is.
func (a *Lease) InPlace() bool { return a.Inner && a.Call.Within.End > a.Granted() }
