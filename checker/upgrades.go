package checker

import (
	"cmp"
	"locktorture/history"
	"math"
	"slices"
)

// A reader whose lease is upgraded promises on what it promised, to be beside readers alone.
// What it becomes is a grant of its own: the writer's, from the answer to the upgrade to the
// call of the downgrade.

// withUpgrades are leases and what they became, in the order in which they were granted.
func withUpgrades(list []*lease) []*lease {
	out := slices.Clip(list)
	for _, g := range list {
		for i, c := range g.changes {
			if !succeeded(c, history.Upgrade) {
				continue
			}
			w := *g
			w.inv, w.ret, w.shared, w.upgraded, w.changes = c.Invoke, c.Return, false, g, g.changes[i+1:]
			for _, d := range w.changes {
				if d.Invoke.F == history.Downgrade {
					w.end = min(w.end, d.Invoke.Time)
					break
				}
			}
			out = append(out, &w)
		}
	}
	if len(out) > len(list) {
		slices.SortStableFunc(out, func(a, b *lease) int { return cmp.Compare(a.granted(), b.granted()) })
	}
	return out
}

func succeeded(c history.Call, f history.F) bool {
	return c.Invoke.F == f && c.Return != nil && c.Return.Type == history.OK
}

// changing is the upgrade or the downgrade of a lease that was under way at a moment; nil for
// none.
func (l *lease) changing(at int64) *history.Call {
	for i := range l.changes {
		if c := &l.changes[i]; c.Invoke.Time < at && at <= endOfCall(*c) {
			return c
		}
	}
	return nil
}

// endOfCall is when a call returned, the end of time if it never did.
func endOfCall(c history.Call) int64 {
	if c.Return == nil {
		return math.MaxInt64
	}
	return c.Return.Time
}
