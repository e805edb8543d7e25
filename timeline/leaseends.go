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

// Ending returns what ended a lease that nobody released: the death of its holder, or the loss that
// the holder was told, after which the service may free the lock at any time. line orders entries
// of one time.
func (l *Lease) Ending() (op *history.Op, line int) {
	if l.Crash != nil {
		return l.Crash, l.endLine
	}
	if l.RelCall == nil && l.Lost != nil {
		return l.Lost, l.endLine
	}
	return nil, 0
}

// GaveUp reports whether the loss was told before the release was answered, which found nothing to
// free. The client does not believe in the lease any more, and the servers end it by its expiry,
// which a new leader of a consensus service begins anew.
func (l *Lease) GaveUp() bool {
	return l.Lost != nil && l.RelRet.Type == history.Fail && l.Lost.Time <= l.RelRet.Time
}
