package checker

import (
	"fmt"
	"slices"
	"sort"
)

// tokenAnomalies finds tokens that do not grow from grant to grant.
func (v *view) tokenAnomalies(l *lockView) {
	v.tokenDuplicates(l)
	v.tokenRegressions(l)
}

// reenters reports whether b is the same holder's re-entry of a, which repeats its token.
func (a *lease) reenters(b *lease) bool {
	return a.process == b.process && b.granted() < a.gone
}

// tokenDuplicates finds a token that two grants share. Grants of one lock
// stand in some order, so that needs no proof of which was first. Of the
// tokens it keeps those of which the survey knows that they come again.
func (v *view) tokenDuplicates(l *lockView) {
	again, holder := v.repeated[l.name], l.past.holder
	for _, g := range l.fresh() {
		left, repeats := again[g.token]
		if g.token == 0 || !repeats {
			continue
		}
		had := holder[g.token]
		if n := len(had); n > 0 && !slices.ContainsFunc(had, func(a *lease) bool { return a.reenters(g) }) {
			a := had[n-1]
			l.found.add("token-duplicate", a.inv.Time, func() Anomaly {
				return Anomaly{
					Lock: g.lock.name, Time: g.granted(), Ops: ops(a.inv, a.ret, g.inv, g.ret),
					Sentence: fmt.Sprintf("%s was granted %s at %s with token %d, which %s had got at %s for lease %d already",
						who(g.client), g.lock.name, at(g.granted()), g.token, who(a.client), at(a.granted()), a.n),
				}
			})
		}
		if len(had) > 0 {
			left--
			again[g.token] = left
		}
		had = slices.DeleteFunc(had, func(a *lease) bool { return a.gone <= g.granted() })
		if holder[g.token] = append(had, g); left <= 0 {
			delete(holder, g.token)
		}
	}
}

// inPlace reports whether a lease is a re-entry of one that was still promised: that its token
// is another is token-changed, whatever it is.
func (a *lease) inPlace() bool { return a.inner && a.wait.within.end > a.granted() }

// tokenRegressions finds a grant with a smaller token than one that had
// surely been granted before it.
func (v *view) tokenRegressions(l *lockView) {
	for _, g := range l.fresh() {
		steps := l.past.steps
		i := sort.Search(len(steps), func(i int) bool { return !steps[i].before(g) })
		if i == 0 {
			continue
		}
		a := steps[i-1] // with the highest token of those that had returned before
		if g.token == 0 || g.token >= a.token || g.inPlace() {
			continue
		}
		l.found.add("token-regression", a.inv.Time, func() Anomaly {
			return Anomaly{
				Lock: g.lock.name, Time: g.granted(), Ops: ops(a.inv, a.ret, g.inv, g.ret, g.firstTold()),
				Sentence: fmt.Sprintf("%s was granted %s at %s with token %d although %s had got token %d at %s already",
					who(g.client), g.lock.name, at(g.granted()), g.token, who(a.client), a.token, at(a.granted())),
			}
		})
	}
}
