package rule

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"locktorture/checker/incident"
	"locktorture/timeline"
)

// tokenDuplicate finds a token that two grants share.
//
// Guarantee: each grant has a token of its own, or a store cannot tell an old holder from a new
// one. Grants of one lock stand in some order, so it does not matter which of them was first.
type tokenDuplicate struct {
	base
	holder map[uint64][]*timeline.Lease // by token: the last grant with it, after those that held it then
	// left makes it possible to forget a token after its last grant.
	left map[uint64]int // how many more grants carry a token; nil before the first piece
}

func (r *tokenDuplicate) check(p *timeline.Piece) {
	if !r.run.Options.Tokens {
		return
	}
	if r.left == nil { // the first reading has counted them, so holder keeps only tokens that come again
		r.left, r.holder = maps.Clone(r.run.Repeated[p.Name]), map[uint64][]*timeline.Lease{}
	}
	again, holder := r.left, r.holder
	for _, g := range p.Fresh() {
		left, repeats := again[g.Token]
		if g.Token == 0 || !repeats {
			continue
		}
		had := holder[g.Token]
		if n := len(had); n > 0 && !slices.ContainsFunc(had, func(a *timeline.Lease) bool { return a.Reenters(g) }) {
			a := had[n-1]
			r.found.Add("token-duplicate", a.Inv.Time, func() incident.Anomaly {
				return incident.Anomaly{
					Lock: g.Lock.Name, Time: g.Granted(), Ops: incident.Ops(a.Inv, a.Ret, g.Inv, g.Ret),
					Sentence: fmt.Sprintf("%s was granted %s at %s with token %d, but %s had already got this token at %s for lease %d",
						timeline.Who(g.Client), g.Lock.Name, timeline.At(g.Granted()), g.Token, timeline.Who(a.Client), timeline.At(a.Granted()), a.Number),
				}
			})
		}
		if len(had) > 0 {
			left--
			again[g.Token] = left
		}
		had = slices.DeleteFunc(had, func(a *timeline.Lease) bool { return a.Gone <= g.Granted() })
		if holder[g.Token] = append(had, g); left <= 0 {
			delete(holder, g.Token)
		}
	}
}

// tokenRegression finds a grant with a smaller token than one that had surely been granted before
// it.
//
// Guarantee: tokens grow from grant to grant. Grants whose order is not certain accuse each other
// of nothing.
//
// Steps has each grant whose token is greater than all before it. So the last of them that was
// surely before a grant has the greatest token that can accuse it, and a binary search finds it.
type tokenRegression struct{ base }

func (r *tokenRegression) check(p *timeline.Piece) {
	if !r.run.Options.Tokens {
		return
	}
	for _, g := range p.Fresh() {
		steps := p.Steps
		i := sort.Search(len(steps), func(i int) bool { return !steps[i].Before(g) })
		if i == 0 {
			continue
		}
		a := steps[i-1] // the highest token of all grants that had returned before
		if g.Token == 0 || g.Token >= a.Token || g.InPlace() {
			continue
		}
		r.found.Add("token-regression", a.Inv.Time, func() incident.Anomaly {
			return incident.Anomaly{
				Lock: g.Lock.Name, Time: g.Granted(), Ops: incident.Ops(a.Inv, a.Ret, g.Inv, g.Ret, g.FirstTold()),
				Sentence: fmt.Sprintf("%s was granted %s at %s with token %d although %s had already got token %d at %s",
					timeline.Who(g.Client), g.Lock.Name, timeline.At(g.Granted()), g.Token, timeline.Who(a.Client), a.Token, timeline.At(a.Granted())),
			}
		})
	}
}
