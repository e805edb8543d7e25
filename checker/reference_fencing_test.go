package checker_test

import (
	"slices"

	"locktorture/history"
)

// repeats reports whether b is granted to the process that still holds a.
func (a *refLease) repeats(b *refLease) bool {
	return a.lock == b.lock && a.process == b.process && a.line < b.line && b.ret < a.gone
}

// tokenDuplicates counts the grants with a token that another had already.
func (r *reference) tokenDuplicates() (n int) {
	for _, b := range r.leases {
		same := func(a *refLease) bool { return a.lock == b.lock && a.token == b.token && a.line < b.line }
		own := slices.ContainsFunc(r.leases, func(a *refLease) bool { return same(a) && a.repeats(b) })
		if r.o.Tokens && b.token != 0 && !own && slices.ContainsFunc(r.leases, same) {
			n++
		}
	}
	return n
}

func (r *reference) tokenRegressions() (n int) {
	for _, b := range r.leases {
		if r.o.Tokens && b.token != 0 && slices.ContainsFunc(r.leases, func(a *refLease) bool {
			return a.lock == b.lock && a.token > b.token && a.before(b) && !(b.inner != nil && b.inner.promise > b.ret)
		}) {
			n++
		}
	}
	return n
}

// contradicted reports whether tokens of a lock go against the times.
func (r *reference) contradicted() bool {
	return slices.ContainsFunc(r.leases, func(b *refLease) bool {
		return slices.ContainsFunc(r.leases, func(a *refLease) bool { return a.lock == b.lock && b.token != 0 && a.token >= b.token && a.before(b) })
	})
}

func (r *reference) tokensChanged() (n int) {
	for _, b := range r.leases {
		if a := b.inner; r.o.Tokens && a != nil && a.token != 0 && b.token != 0 && a.token != b.token && a.promise > b.ret {
			n++
		}
	}
	return n
}

// staleAccepted counts the operations that the fenced store applied after one of a newer
// lease.
func (r *reference) staleAccepted() (n int) {
	for _, op := range r.ops {
		if r.o.Tokens && fenced(op) && appliedAt(op) > 0 && slices.ContainsFunc(r.ops, func(x *refOp) bool {
			return fenced(x) && x.lease.lock == op.lease.lock && appliedAt(x) > 0 && appliedAt(x) < appliedAt(op) && older(op.lease, x.lease) && !sameToken(op.lease, x.lease)
		}) {
			n++
		}
	}
	return n
}

func fenced(op *refOp) bool { return op.inv.Store == history.Fenced && op.lease != nil }

// older reports whether a was granted before b, by the tokens where the times do not tell.
func older(a, b *refLease) bool {
	a, b = a.grant(), b.grant()
	if a.before(b) || b.before(a) {
		return a.before(b)
	}
	return a.token != 0 && a.token < b.token
}

// sameToken reports whether one holder has the same token for two grants, which no fence can
// tell apart.
func sameToken(a, b *refLease) bool {
	a, b = a.grant(), b.grant()
	return a.process == b.process && a.token == b.token && a.token != 0
}

// fenceLockouts counts the refusals of a lease that was surely newer than all that had used
// the store.
func (r *reference) fenceLockouts() (n int) {
	for _, op := range r.ops {
		if fenced(op) && refusedByFence(op) && !slices.ContainsFunc(r.ops, func(x *refOp) bool {
			used := fenced(x) && !refusedByFence(x) && (x.ret == nil || x.ret.Refused != history.ByClient) && x.inv.Time < op.ret.Time
			return used && x.lease.lock == op.lease.lock && x.lease.grant() != op.lease.grant() && !x.lease.grant().before(op.lease)
		}) {
			n++
		}
	}
	return n
}
