package timeline

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// After an upgrade, the reader's lease still promises what it promised before: only readers
// are beside it. The upgrade also makes a second grant, the writer's. It lasts from the answer
// to the upgrade to the call of the downgrade.

// WithUpgrades returns leases together with the writers' leases that upgrades made of them, in
// the order of their grants.
func WithUpgrades(list []*Lease) []*Lease {
	out := slices.Clip(list)
	for _, g := range list {
		for i, c := range g.Changes {
			if !succeeded(c, history.Upgrade) {
				continue
			}
			w := *g
			w.Inv, w.Ret, w.Shared, w.upgraded, w.Changes = c.Invoke, c.Return, false, g, g.Changes[i+1:]
			for _, d := range w.Changes {
				if d.Invoke.F == history.Downgrade {
					w.End = min(w.End, d.Invoke.Time)
					break
				}
			}
			out = append(out, &w)
		}
	}
	if len(out) > len(list) {
		slices.SortStableFunc(out, func(a, b *Lease) int { return cmp.Compare(a.Granted(), b.Granted()) })
	}
	return out
}

// succeeded reports whether a call of that kind was answered with success.
func succeeded(c history.Call, f history.F) bool {
	return c.Invoke.F == f && c.Return != nil && c.Return.Type == history.OK
}

// Changing returns the upgrade or the downgrade of a lease that was under way at a moment; nil if
// there was none.
func (l *Lease) Changing(at int64) *history.Call {
	for i := range l.Changes {
		if c := &l.Changes[i]; c.Invoke.Time < at && at <= EndOfCall(*c) {
			return c
		}
	}
	return nil
}

// EndOfCall returns when a call was answered, MaxInt64 if it never was.
func EndOfCall(c history.Call) int64 {
	if c.Return == nil {
		return math.MaxInt64
	}
	return c.Return.Time
}
