package checker

import (
	"fmt"
	"maps"
	"slices"
	"sort"
)

// tokenDuplicate finds a token that two grants share. Grants of one lock stand in some order,
// so it does not matter which of them was first.
type tokenDuplicate struct {
	base
	holder map[uint64][]*lease // by token: the last grant that carries it, and those that held it then
	left   map[uint64]int      // how many more grants carry a token; nil before the first piece
}

func (r *tokenDuplicate) check(p *piece) {
	if !r.run.o.Tokens {
		return
	}
	if r.left == nil { // the first reading has counted them, so holder keeps only tokens that come again
		r.left, r.holder = maps.Clone(r.run.repeated[p.name]), map[uint64][]*lease{}
	}
	again, holder := r.left, r.holder
	for _, g := range p.fresh() {
		left, repeats := again[g.token]
		if g.token == 0 || !repeats {
			continue
		}
		had := holder[g.token]
		if n := len(had); n > 0 && !slices.ContainsFunc(had, func(a *lease) bool { return a.reenters(g) }) {
			a := had[n-1]
			r.found.add("token-duplicate", a.inv.Time, func() Anomaly {
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

// tokenRegression finds a grant with a smaller token than one that had surely been granted
// before it.
type tokenRegression struct{ base }

func (r *tokenRegression) check(p *piece) {
	if !r.run.o.Tokens {
		return
	}
	for _, g := range p.fresh() {
		steps := p.steps
		i := sort.Search(len(steps), func(i int) bool { return !steps[i].before(g) })
		if i == 0 {
			continue
		}
		a := steps[i-1] // with the highest token of those that had returned before
		if g.token == 0 || g.token >= a.token || g.inPlace() {
			continue
		}
		r.found.add("token-regression", a.inv.Time, func() Anomaly {
			return Anomaly{
				Lock: g.lock.name, Time: g.granted(), Ops: ops(a.inv, a.ret, g.inv, g.ret, g.firstTold()),
				Sentence: fmt.Sprintf("%s was granted %s at %s with token %d although %s had got token %d at %s already",
					who(g.client), g.lock.name, at(g.granted()), g.token, who(a.client), a.token, at(a.granted())),
			}
		})
	}
}
