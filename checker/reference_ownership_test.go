package checker_test

import (
	"slices"
	"time"

	"locktorture/history"
)

// A refTenure is a time in which most servers, and all that were looked at within a second,
// were seen to keep a lock in one name. after is the first sight of something else, 0 for
// none.
type refTenure struct {
	lock, owner              string
	line                     int
	from, last, until, after int64
	asked                    int64        // when the last sight was asked for
	looks                    []history.Op // that showed the name
}

// nodes are the servers that were looked at for a lock.
func (r *reference) nodes(lock string) int {
	seen := map[string]bool{}
	for _, p := range r.h {
		if p.F == history.Probe && p.Lock == lock {
			seen[p.Node] = true
		}
	}
	return len(seen)
}

// askedFor is when the server of a look was asked.
func askedFor(p history.Op) int64 {
	if p.UntilMin > 0 {
		return p.UntilMin
	}
	return p.Time - 100*ms
}

// leastEnd is the earliest expiry that a look allows.
func leastEnd(p history.Op) int64 {
	if p.UntilMin > 0 && p.UntilMax < history.Never {
		return p.UntilMax - (p.Time - p.UntilMin)
	}
	return p.UntilMax
}

// second is one, where servers tell whole seconds.
func (r *reference) second() int64 {
	if r.wholeSeconds() {
		return int64(time.Second)
	}
	return 0
}

func (r *reference) tenures(lock string) (out []*refTenure) {
	latest := map[string]history.Op{}
	nodes := r.nodes(lock)
	for line, p := range r.h {
		if p.F != history.Probe || p.Lock != lock || p.Holds != nil {
			continue
		}
		latest[p.Node] = p
		owner, until, fresh := p.Value, leastEnd(p), 0
		for _, q := range latest {
			if p.Time-q.Time > int64(time.Second) {
				continue
			}
			if fresh++; q.Value != owner {
				owner, until = "", 0
				break
			}
			until = min(until, leastEnd(q))
		}
		if 2*fresh <= nodes {
			owner, until = "", 0
		}
		if n := len(out); n == 0 || out[n-1].owner != owner {
			if n > 0 {
				out[n-1].after = p.Time
			}
			out = append(out, &refTenure{lock: lock, owner: owner, line: line, from: p.Time})
		}
		t := out[len(out)-1]
		t.last, t.asked, t.until = p.Time, askedFor(p), until
		if p.Value == owner {
			t.looks = append(t.looks, p)
		}
	}
	return out
}

// ownerAt is the last grant that had been called for in a name, and how many have it at any
// time.
func (r *reference) ownerAt(lock, owner string, at int64) (g *refLease, grants int) {
	for _, x := range r.leases {
		if owner == "" || x.lock != lock || x.owner != owner {
			continue
		}
		again := x.inner != nil && x.inner.owner == owner // then the outer lease stands for the name
		if grants++; x.call <= at && !again && (g == nil || x.call >= g.call) {
			g = x
		}
	}
	return g, grants
}

// disturbed reports whether a fault that takes locks away, or leaves copies of them, was in
// place from…to.
func (r *reference) disturbed(from, to int64) bool {
	return slices.ContainsFunc(r.faults, func(f refFault) bool {
		late := int64(0)
		switch f.kind {
		case "failover":
			late = int64(5 * time.Second)
		case "clock", "restart", "leader":
			late = int64(500 * time.Millisecond)
		case "partition":
		default:
			if f.kind != "pause" || f.client != 0 {
				return false
			}
		}
		return min(f.began, f.from-late) <= to && f.to >= from
	})
}

func (r *reference) locks() (out []string) {
	for _, e := range r.h {
		if e.Lock != "" && !slices.Contains(out, e.Lock) {
			out = append(out, e.Lock)
		}
	}
	return out
}

func (r *reference) foreignReleases() (n int) {
	for _, lock := range r.locks() {
		if r.nodes(lock) == 0 {
			n += r.foreignInferred(lock)
			continue
		}
		for _, t := range r.tenures(lock) {
			if r.endedByAnother(t) {
				n++
			}
		}
		n += r.holdsEnded(lock)
	}
	return n
}

// ended calls f with every successful release or renewal.
func (r *reference) ended(lock string, f func(a *refLease, e *refOp) bool) bool {
	return slices.ContainsFunc(r.leases, func(a *refLease) bool {
		return a.lock == lock && slices.ContainsFunc(a.endings, func(e *refOp) bool { return e.ret != nil && e.ret.Type == history.OK && f(a, e) })
	})
}

func (r *reference) endedByAnother(t *refTenure) bool {
	b, grants := r.ownerAt(t.lock, t.owner, t.last)
	if b == nil || t.after == 0 || grants > 1 && b.ret > t.asked {
		return false
	}
	left := b.release != nil && b.release.inv.Time <= t.after || b.crash != nil && b.killed <= t.after
	if left || t.until <= t.after+r.second() || r.o.Expires && t.until == history.Never || r.disturbed(t.from, t.after) {
		return false
	}
	if r.ended(t.lock, func(a *refLease, e *refOp) bool {
		own := a != b && a.client == b.client && a.owner == t.owner && e.inv.F == history.Release
		return own && e.ret.Time > t.last && e.inv.Time < t.after
	}) {
		return false // of another lease of the same name
	}
	single := r.nodes(t.lock) == 1
	return r.ended(t.lock, func(a *refLease, e *refOp) bool {
		since := a.ret > b.ret && a.ret > t.asked && !(single && r.seenBefore(a, t.from))
		during := e.inv.Time > min(t.from, b.ret) && !since
		underWay := single && grants == 1 && e.inv.Time < t.from
		return a.client != b.client && e.ret.Time > t.last && e.inv.Time < t.after && (during || underWay)
	})
}

// seenBefore reports whether a server was seen to keep the lock for a, and for no other grant,
// before a moment.
func (r *reference) seenBefore(a *refLease, at int64) bool {
	_, grants := r.ownerAt(a.lock, a.owner, never)
	return grants == 1 && slices.ContainsFunc(r.h, func(p history.Op) bool {
		return p.F == history.Probe && p.Lock == a.lock && p.Value == a.owner && p.Time < at
	})
}

func (r *reference) foreignInferred(lock string) (n int) {
	r.ended(lock, func(a *refLease, e *refOp) bool {
		over := max(a.promise, a.ret)
		if over < e.inv.Time && !r.disturbed(a.ret, e.ret.Time) && slices.ContainsFunc(r.leases, func(b *refLease) bool {
			granted := b.ret >= over && b.ret > a.ret && b.ret < e.inv.Time
			return b.excludes(a) && b.process != a.process && granted && b.promise > e.ret.Time && b.gone > e.ret.Time
		}) {
			n++
		}
		return false
	})
	return n
}
