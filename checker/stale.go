package checker

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/history"
)

// staleAccepted finds operations of an older grant that the fenced store applied after one of
// a newer grant. The times of the grants say which is older, and the tokens decide only where
// the times leave that open: unsound tokens must not hide it. Leases of one holder that share a
// token accuse each other of nothing, because no fence can tell them apart.
type staleAccepted struct {
	base
	newest newestUsers // of the store, by the earliest moment of their grants
	fence  fence       // what the store has applied
}

func (r *staleAccepted) check(p *piece) {
	if !r.run.o.Tokens {
		return
	}
	for _, a := range inApplyOrder(p.accesses) {
		if a.inv.Store != history.Fenced {
			continue
		}
		g := a.lease.grant()
		newer := r.fence.above(g)
		if n := r.newest.beside(g); n != nil && g.before(n.lease.grant()) {
			newer = n
		}
		if newer != nil {
			r.report(a, newer)
		}
		r.newest.add(a)
		r.fence.add(a)
	}
}

// A newestUsers is the newest grant that the fenced store has applied an operation of, and the
// newest of those that are not like it.
type newestUsers [2]*access

// beside returns the newest that is not like a grant; nil for none.
func (u *newestUsers) beside(g *lease) *access {
	if u[0] != nil && u[0].lease.grant().alike(g) {
		return u[1]
	}
	return u[0]
}

func (u *newestUsers) add(a *access) {
	g := a.lease.grant()
	later := func(than *access) bool { return than == nil || g.since > than.lease.grant().since }
	like := u[0] != nil && u[0].lease.grant().alike(g)
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

// A fence is what a fenced store has applied: of the grants that returned no earlier than a
// moment the one with the greatest token. They are in the order in which they returned, each
// with a smaller token than the one before; where tokens grow from grant to grant there is
// one.
type fence []*access

// above returns an operation of a grant with a greater token, that need not have been over
// when g can have been granted; nil if there is none, or g has no token.
func (f fence) above(g *lease) *access {
	i := f.from(g.since)
	if i == len(f) || g.token == 0 || f[i].lease.token <= g.token {
		return nil
	}
	return f[i]
}

// from is the place of the first grant that returned no earlier.
func (f fence) from(at int64) int {
	i, _ := slices.BinarySearchFunc(f, at, func(a *access, at int64) int { return cmp.Compare(a.lease.grant().granted(), at) })
	return i
}

func (f *fence) add(a *access) {
	g := a.lease.grant()
	at := f.from(g.granted())
	if at < len(*f) && (*f)[at].lease.token >= g.token {
		return
	}
	if at < len(*f) && (*f)[at].lease.grant().granted() == g.granted() {
		*f = slices.Delete(*f, at, at+1)
	}
	first := at
	for first > 0 && (*f)[first-1].lease.token <= g.token {
		first--
	}
	*f = slices.Replace(*f, first, at, a)
}

func (r *staleAccepted) report(a, newer *access) {
	r.found.add("stale-accepted", a.lease.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: a.lease.lock.name, Store: history.Fenced, Key: a.op().Key, Time: a.ret.Time,
			Ops: ops(a.lease.ret, newer.lease.inv, newer.lease.ret, newer.inv, newer.ret, a.inv, a.ret),
			Sentence: fmt.Sprintf("the fenced store let %s, under %s of %s granted at %s, %s at %s (apply %d) after an operation of %s under %s granted at %s (apply %d)",
				who(a.lease.client), a.lease.name(), a.lease.lock.name, at(a.lease.granted()), bare(a), at(a.ret.Time), a.applied(),
				who(newer.lease.client), newer.lease.name(), at(newer.lease.granted()), newer.applied()),
		}
	})
}

// bare describes an operation after "let c1": `write L/counter = "7"`.
func bare(a *access) string {
	op := a.op()
	if op.F == history.Read {
		return "read " + op.Key
	}
	return fmt.Sprintf("write %s = %q", op.Key, op.Value)
}
