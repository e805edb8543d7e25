package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// tokenAnomalies finds tokens that do not grow from grant to grant.
func (v *view) tokenAnomalies(f *findings) {
	for _, l := range v.locks {
		v.tokenDuplicates(f, l)
		v.tokenRegressions(f, l)
	}
}

// reenters tells that b is the same holder's re-entry of a, which repeats its token.
func (a *lease) reenters(b *lease) bool {
	return a.process == b.process && b.granted() < a.gone
}

// tokenDuplicates finds a token that two grants share. Grants of one lock
// stand in some order, so that needs no proof of which was first.
func (v *view) tokenDuplicates(f *findings, l *lockView) {
	holder := make(map[uint64]*lease)
	for _, g := range l.leases {
		if g.token == 0 {
			continue
		}
		if a := holder[g.token]; a != nil && !a.reenters(g) {
			f.add("token-duplicate", a.inv.Time, func() Anomaly {
				return Anomaly{
					Lock: g.lock, Time: g.granted(), Ops: ops(a.inv, a.ret, g.inv, g.ret),
					Sentence: fmt.Sprintf("%s was granted %s at %s with token %d, which %s had got at %s for lease %d already",
						who(g.client), g.lock, at(g.granted()), g.token, who(a.client), at(a.granted()), a.n),
				}
			})
		}
		holder[g.token] = g
	}
}

// tokenRegressions finds a grant with a smaller token than one that had
// surely been granted before it.
func (v *view) tokenRegressions(f *findings, l *lockView) {
	later := slices.Clone(l.leases)
	slices.SortStableFunc(later, func(a, b *lease) int { return cmp.Compare(a.since, b.since) })
	var newest *lease // with the highest token of those that returned so far
	i := 0
	for _, g := range later {
		for ; i < len(l.leases) && l.leases[i].before(g); i++ {
			if newest == nil || l.leases[i].token > newest.token {
				newest = l.leases[i]
			}
		}
		a := newest
		if a == nil || g.token == 0 || g.token >= a.token || a.reenters(g) {
			continue
		}
		f.add("token-regression", a.inv.Time, func() Anomaly {
			return Anomaly{
				Lock: g.lock, Time: g.granted(), Ops: ops(a.inv, a.ret, g.inv, g.ret, g.firstTold()),
				Sentence: fmt.Sprintf("%s was granted %s at %s with token %d although %s had got token %d at %s already",
					who(g.client), g.lock, at(g.granted()), g.token, who(a.client), a.token, at(a.granted())),
			}
		})
	}
}
