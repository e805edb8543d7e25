package rule

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// staleAccepted finds operations of an older grant that the fenced store applied after an
// operation of a newer grant.
//
// Guarantee: with tokens that grow, a store that compares them refuses whoever has been overtaken.
// The times of the grants say which is older, and the tokens decide only where the times leave
// that open, so that unsound tokens cannot hide a violation. Leases of one holder that share a
// token accuse each other of nothing, because no fence can tell them apart.
type staleAccepted struct {
	base
	newest newestUsers // of the store, by the earliest moment of their grants
	fence  fence       // what the store has applied
}

func (r *staleAccepted) check(p *timeline.Piece) {
	if !r.run.Options.Tokens {
		return
	}
	for _, a := range timeline.InApplyOrder(p.Accesses) {
		if a.Inv.Store != history.Fenced {
			continue
		}
		g := a.Lease.Grant()
		newer := r.fence.above(g)
		// The times decide if they can. A token is asked only about grants whose order they leave open, or
		// else a lock with unsound tokens would hide what its store let through.
		if n := r.newest.beside(g); n != nil && g.Before(n.Lease.Grant()) {
			newer = n
		}
		if newer != nil {
			r.report(a, newer)
		}
		r.newest.add(a)
		r.fence.add(a)
	}
}

// A newestUsers has the newest grant under which the fenced store applied an operation, and the
// newest grant that is not like that one.
// Grants are alike if they are of one process and share a token (Lease.Alike).
type newestUsers [2]*timeline.Access

// beside returns the newest user that is not like a grant; nil if there is none.
func (u *newestUsers) beside(g *timeline.Lease) *timeline.Access {
	if u[0] != nil && u[0].Lease.Grant().Alike(g) {
		return u[1]
	}
	return u[0]
}

func (u *newestUsers) add(a *timeline.Access) {
	g := a.Lease.Grant()
	later := func(than *timeline.Access) bool { return than == nil || g.Since > than.Lease.Grant().Since }
	like := u[0] != nil && u[0].Lease.Grant().Alike(g)
	switch {
	case later(u[0]):
		if !like {
			u[1] = u[0]
		}
		u[0] = a
	case !like && later(u[1]):
		u[1] = a
	}
}

// A fence holds the operations of a fenced store that later ones must be compared with: for
// each moment, the one whose grant has the greatest token of all grants that returned no
// earlier. They are in the order in which their grants returned, each with a smaller token
// than the one before. Where tokens grow from grant to grant, there is only one.
type fence []*timeline.Access

// above returns an operation under a grant with a greater token that may not have returned yet
// when g can have been granted. It returns nil if there is none, or if g has no token.
func (f fence) above(g *timeline.Lease) *timeline.Access {
	i := f.from(g.Since)
	if i == len(f) || g.Token == 0 || f[i].Lease.Token <= g.Token {
		return nil
	}
	return f[i]
}

// from returns the place of the first grant that returned no earlier than a moment.
func (f fence) from(at int64) int {
	i, _ := slices.BinarySearchFunc(f, at, func(a *timeline.Access, at int64) int { return cmp.Compare(a.Lease.Grant().Granted(), at) })
	return i
}

func (f *fence) add(a *timeline.Access) {
	g := a.Lease.Grant()
	at := f.from(g.Granted())
	if at < len(*f) && (*f)[at].Lease.Token >= g.Token {
		return
	}
	if at < len(*f) && (*f)[at].Lease.Grant().Granted() == g.Granted() {
		*f = slices.Delete(*f, at, at+1)
	}
	first := at
	for first > 0 && (*f)[first-1].Lease.Token <= g.Token {
		first--
	}
	*f = slices.Replace(*f, first, at, a)
}

func (r *staleAccepted) report(a, newer *timeline.Access) {
	r.found.Add("stale-accepted", a.Lease.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: a.Lease.Lock.Name, Store: history.Fenced, Key: a.Op().Key, Time: a.Ret.Time,
			Ops: incident.Ops(a.Lease.Ret, newer.Lease.Inv, newer.Lease.Ret, newer.Inv, newer.Ret, a.Inv, a.Ret),
			Sentence: fmt.Sprintf("the fenced store let %[1]s %[5]s at %[6]s (apply %[7]d) under %[2]s of %[3]s, granted at %[4]s, although the store had already applied an operation of %[8]s (apply %[11]d) under %[9]s, granted at %[10]s",
				timeline.Who(a.Lease.Client), a.Lease.Name(), a.Lease.Lock.Name, timeline.At(a.Lease.Granted()), bare(a), timeline.At(a.Ret.Time), a.Applied(),
				timeline.Who(newer.Lease.Client), newer.Lease.Name(), timeline.At(newer.Lease.Granted()), newer.Applied()),
		}
	})
}

// bare describes an operation after "let c1": `write L/counter = "7"`.
func bare(a *timeline.Access) string {
	op := a.Op()
	if op.F == history.Read {
		return "read " + op.Key
	}
	return fmt.Sprintf("write %s = %q", op.Key, op.Value)
}
