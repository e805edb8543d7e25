package checker

import (
	"locktorture/history"
	"slices"
)

func (l *lease) died() bool { return l.crash != nil }

// changesItself reports whether a holder renewed or changed its lease at some time from…to.
func (g *lease) changesItself(from, to int64) bool {
	return slices.ContainsFunc(slices.Concat(g.renewals, g.changes), func(c history.Call) bool {
		return c.Invoke.Time <= to && (c.Return == nil || c.Return.Time >= from)
	})
}

// endedForCertain returns the release or crash after which nobody may renew.
func (l *lease) endedForCertain() *history.Op {
	if l.relRet != nil && l.relRet.Type != history.Info {
		return l.relRet
	}
	return l.crash
}

// ending is what ended a lease that nobody released: the holder's death or
// the loss that it was told, after which the service may free it at any time.
func (l *lease) ending() (op *history.Op, line int) {
	if l.crash != nil {
		return l.crash, l.endLine
	}
	if l.relCall == nil && l.lost != nil {
		return l.lost, l.endLine
	}
	return nil, 0
}

// gaveUp reports whether the loss was told before the release was answered, which found
// nothing to free: the client does not believe any more, and the servers end the lease by its
// expiry (a new leader of a consensus service begins that anew).
func (l *lease) gaveUp() bool {
	return l.lost != nil && l.relRet.Type == history.Fail && l.lost.Time <= l.relRet.Time
}
