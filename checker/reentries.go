package checker

import "slices"

// within reports whether a lease is part of a hold that its process had already.
func (l *lease) within() bool { return l.inner || l.repeats }

// reenters reports whether a holder asked for the lock again.
func (w *wait) reenters() bool { return w.within != nil || w.lease != nil && w.lease.repeats }

// reentered reports whether a holder asked for the lock again.
func reentered(waits []*wait) bool { return slices.ContainsFunc(waits, (*wait).reenters) }

// alike reports whether no fence can tell two grants apart: one holder has the same token for
// both, as for a re-entry while the promise of its lease was over.
func (l *lease) alike(m *lease) bool {
	return l.process == m.process && l.token == m.token && l.token != 0
}

// reenters reports whether b is the same holder's re-entry of a, which repeats its token.
func (a *lease) reenters(b *lease) bool {
	return a.process == b.process && b.granted() < a.gone
}

// inPlace reports whether a lease is a re-entry of one that was still promised: that its token
// is another is token-changed, whatever it is.
func (a *lease) inPlace() bool { return a.inner && a.wait.within.end > a.granted() }
