package timeline

import (
	"slices"

	"locktorture/history"
)

// Died reports whether the holder was killed while it held the lease.
func (l *Lease) Died() bool { return l.Crash != nil }

// ChangesItself reports whether a holder renewed, upgraded or downgraded its lease at some time
// from…to.
func (g *Lease) ChangesItself(from, to int64) bool {
	return slices.ContainsFunc(slices.Concat(g.Renewals, g.Changes), func(c history.Call) bool {
		return c.Invoke.Time <= to && (c.Return == nil || c.Return.Time >= from)
	})
}

// EndedForCertain returns the release or the crash after which nobody may renew the lease; nil if
// there was none.
func (l *Lease) EndedForCertain() *history.Op {
	if l.RelRet != nil && l.RelRet.Type != history.Info {
		return l.RelRet
	}
	return l.Crash
}

// Ending returns what ended a lease that nobody released: the death of its holder, or the
// notice of its loss, after which the service may free the lock at any time. line orders
// entries that have the same time.
func (l *Lease) Ending() (op *history.Op, line int) {
	if l.Crash != nil {
		return l.Crash, l.endLine
	}
	if l.RelCall == nil && l.Lost != nil {
		return l.Lost, l.endLine
	}
	return nil, 0
}

// GaveUp reports whether the holder was notified of its loss before its release was answered,
// and the release found nothing to free. The client no longer believes in the lease. The
// servers end the lease by its expiry, which a new leader of a consensus service starts again
// from the beginning.
func (l *Lease) GaveUp() bool {
	return l.Lost != nil && l.RelRet.Type == history.Fail && l.Lost.Time <= l.RelRet.Time
}
