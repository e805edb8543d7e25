package checker_test

import (
	"math/rand/v2"
	"slices"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

// claimed is a damaged history of a lock that several can hold.
func claimed(r *rand.Rand) (history.History, checker.Options) {
	o := someOptions(r)
	o.Kind, o.Reentrant = []string{locks.ReadWrite, locks.Semaphore}[r.IntN(2)], false
	h, o := damage(r, o)
	asked := map[int]history.Op{}
	for i := range h {
		op := &h[i]
		if op.F != history.Acquire && op.F != history.Try {
			continue
		}
		if op.Type == history.Invoke {
			asked[op.Process] = someClaim(r, o.Kind, op.Lock)
		}
		c := asked[op.Process]
		op.Mode, op.Permits, op.Capacity = c.Mode, c.Permits, c.Capacity
	}
	if r.IntN(3) > 0 {
		h = listed(r, h, o)
	}
	return h, o
}

// someClaim is what somebody asks for of a lock.
func someClaim(r *rand.Rand, kind, lock string) history.Op {
	if kind == locks.ReadWrite {
		return history.Op{Mode: []string{history.Shared, ""}[r.IntN(2)]}
	}
	capacity := 3
	if lock != "A" {
		capacity = 2
	}
	return history.Op{Mode: history.Permits, Permits: 1 + r.IntN(capacity), Capacity: capacity}
}

func (g *refLease) mode() string { return g.op.inv.Mode }

// excludes reports whether two leases of a lock cannot be held at the same time: not both are
// readers', nor both permits.
func (g *refLease) excludes(x *refLease) bool {
	return g.lock == x.lock && (g.mode() != x.mode() || g.mode() == "" || g.mode() == history.Campaign)
}

// beside reports whether what two ask for can be held at the same time.
func beside(a, b history.Op) bool {
	switch {
	case a.Mode != b.Mode:
		return false
	case a.Mode == history.Permits:
		return a.Permits+b.Permits <= a.Capacity
	}
	return a.Mode == history.Shared
}

func (r *reference) readersBesideWriters() (n int) {
	if r.onlyWatched() {
		return 0
	}
	for _, b := range r.leases {
		if slices.ContainsFunc(r.leases, func(a *refLease) bool { return a.mode() != b.mode() && r.breaks(a, b) }) {
			n++
		}
	}
	return n
}

func (r *reference) overCapacities() int { return r.tooMany(false) }
func (r *reference) extraPermits() int   { return r.tooMany(true) }

// tooMany counts the grants of permits beside which so many were promised that all together
// are more than there are.
func (r *reference) tooMany(extra bool) (n int) {
	if r.onlyWatched() {
		return 0
	}
	for _, b := range r.leases {
		sum, lasting := b.op.inv.Permits, false
		for _, a := range r.leases {
			if a.lock == b.lock && a.line < b.line && b.ret < a.promise && !r.overAtFirst(a) {
				sum += a.op.inv.Permits
				lasting = lasting || r.hadAll(a, b.ret)
			}
		}
		if sum > b.op.inv.Capacity && !r.overAtFirst(b) && lasting == extra {
			n++
		}
	}
	return n
}

func (r *reference) overAtFirst(g *refLease) bool {
	return r.o.Bounded && g.over != nil && len(g.answers) == 0
}

// hadAll reports whether a lease had all permits at once, of whose end its holder was never
// told, and that no fault was in place from its call to a moment.
func (r *reference) hadAll(g *refLease, until int64) bool {
	told := g.lost != nil || g.over != nil || g.release != nil && g.release.ret != nil && g.release.ret.Type == history.Fail
	faults := append(r.times(func(f refFault) bool { return f.kind != killed }), r.begun...)
	return g.op.inv.Permits == g.op.inv.Capacity && !told && !slices.ContainsFunc(faults, func(f refTime) bool {
		return f.to > g.call && f.from < until
	})
}

// lostPermits are the deadlocks of a semaphore.
func (r *reference) lostPermits() int {
	if r.o.Kind != locks.Semaphore {
		return 0
	}
	return r.dead()
}
