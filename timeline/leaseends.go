package timeline

import (
	"slices"

	"locktorture/history"
)

func (l *Lease) Died() bool { return l.Crash != nil }

// changesItself reports whether a holder renewed or changed its lease at some time from…to.
func (g *Lease) ChangesItself(from, to int64) bool {
	return slices.ContainsFunc(slices.Concat(g.Renewals, g.Changes), func(c history.Call) bool {
		return c.Invoke.Time <= to && (c.Return == nil || c.Return.Time >= from)
	})
}

// endedForCertain returns the release or crash after which nobody may renew.
func (l *Lease) EndedForCertain() *history.Op {
	if l.RelRet != nil && l.RelRet.Type != history.Info {
		return l.RelRet
	}
	return l.Crash
}

// ending is what ended a lease that nobody released: the holder's death or
// the loss that it was told, after which the service may free it at any time.
func (l *Lease) Ending() (op *history.Op, line int) {
	if l.Crash != nil {
		return l.Crash, l.endLine
	}
	if l.RelCall == nil && l.Lost != nil {
		return l.Lost, l.endLine
	}
	return nil, 0
}

// gaveUp reports whether the loss was told before the release was answered, which found
// nothing to free: the client does not believe any more, and the servers end the lease by its
// expiry (a new leader of a consensus service begins that anew).
func (l *Lease) GaveUp() bool {
	return l.Lost != nil && l.RelRet.Type == history.Fail && l.Lost.Time <= l.RelRet.Time
}
