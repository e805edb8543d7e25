package checker

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/history"
)

// foreignRelease finds releases and renewals by one client that ended another's lease. Where
// the servers were looked at it goes by what was seen there, elsewhere by the answers alone.
type foreignRelease struct {
	base
	endings []ending // by call: those that a tenure may need that is not judged yet
}

func (r *foreignRelease) check(p *piece) {
	endings := newEndings(p.fresh())
	switch {
	case r.run.sights[p.name] != nil:
		r.endings = append(r.endings, endings...)
		slices.SortStableFunc(r.endings, endingsByCall)
		r.seen(p.lockView, p.tenures)
		r.prune(p.sights.horizon(p.before))
	case !r.run.o.Blind: // else an answer is no evidence
		r.inferred(p.lockView, endings)
	}
}

// prune drops the endings that no tenure can need any longer that is not judged yet: the oldest
// such tenure was first seen at from, and the part of it that is known ends at seen.
func (r *foreignRelease) prune(from, seen int64) {
	var kept []ending
	earlier := -1 // the last that was called before from
	for i, e := range r.endings {
		if e.inv.Time < from {
			earlier = i
		}
	}
	for i, e := range r.endings {
		if e.ret.Time > seen || i == earlier || i == len(r.endings)-1 {
			kept = append(kept, e)
		}
	}
	r.endings = kept
}

func endingsByCall(a, b ending) int { return cmp.Compare(a.inv.Time, b.inv.Time) }

// An ending is a successful release or renewal and the lease it was made under.
type ending struct {
	lease    *lease
	inv, ret *history.Op
}

// newEndings returns the successful releases and renewals of some leases, by call.
func newEndings(leases []*lease) []ending {
	var out []ending
	for _, g := range leases {
		if g.relRet != nil && g.relRet.Type == history.OK {
			out = append(out, ending{g, g.relCall, g.relRet})
		}
		for _, c := range slices.Concat(g.again, g.renewals) {
			if c.Return != nil && c.Return.Type == history.OK {
				out = append(out, ending{g, c.Invoke, c.Return})
			}
		}
	}
	slices.SortStableFunc(out, endingsByCall)
	return out
}

// seen judges by the looks: owner B was seen before A's release and no longer after it, B had
// neither released nor expired nor died, and no fault was in place that takes a lock from its
// holder on the server.
func (r *foreignRelease) seen(l *lockView, tenures []*tenure) {
	endings := r.endings
	for _, t := range tenures {
		b, reused := r.run.ownerAt(l, t.owner, t.last)
		if b == nil || t.after == 0 || reused && b.granted() > t.asked {
			continue
		}
		left := b.relCall != nil && b.relCall.Time <= t.after || b.crash != nil && b.killed <= t.after
		// Where leases end by themselves, one that shows no expiry may have, and one of whole
		// seconds a second before.
		expired := t.until <= t.after+r.run.coarseness() || r.run.o.Expires && t.until == history.Never
		if left || expired || r.run.disturbed(t.from, t.after) {
			continue
		}
		if reused && ownEnding(endings, b, t) {
			continue
		}
		e := r.lastBetween(endings, b, t)
		if e == nil && !reused && len(r.run.sights[l.name].nodes) == 1 {
			e = underWay(endings, b, t)
		}
		if e != nil {
			r.report(*e, b, t)
		}
	}
}

// lastBetween finds the last ending by another client between the last sight
// of an owner and the first sight of something else.
func (r *foreignRelease) lastBetween(endings []ending, b *lease, t *tenure) *ending {
	i, _ := slices.BinarySearchFunc(endings, t.after, func(e ending, at int64) int { return cmp.Compare(e.inv.Time, at) })
	for i--; i >= 0; i-- {
		e := &endings[i]
		if e.ret.Time > t.last && e.lease.client != b.client && min(t.from, b.granted()) < e.inv.Time && !r.grantedSince(e.lease, b, t) {
			return e
		}
		if e.inv.Time <= min(t.from, b.granted()) {
			return nil
		}
	}
	return nil
}

// ownEnding reports whether the client itself released another lease in the name that was gone
// then.
func ownEnding(endings []ending, b *lease, t *tenure) bool {
	return slices.ContainsFunc(endings, func(e ending) bool {
		own := e.lease != b && e.lease.client == b.client && e.lease.owner == t.owner && e.inv.F == history.Release
		return own && e.inv.Time < t.after && e.ret.Time > t.last
	})
}

// grantedSince reports whether a may have been granted after b, and after b was last seen for
// certain. Then b had ended before, whatever expiry the server showed (some count whole
// seconds, and a look takes time), and a's release ended a. A name of a that stands for one
// grant, and was seen on the server before that of b, tells otherwise.
func (r *foreignRelease) grantedSince(a, b *lease, t *tenure) bool {
	if o, seen := r.run.owners[ownerKey{a.lock.name, a.owner}]; seen && o.grants == 1 && o.first < t.from && len(r.run.sights[a.lock.name].nodes) == 1 {
		return false
	}
	return a.granted() > b.granted() && a.granted() > t.asked
}

// underWay finds an ending by another client that was called before the owner
// had the lock and was still under way when it was gone: a release in two
// commands, whose look at the owner was answered late. On several nodes the owners of
// which need not agree that would prove nothing.
func underWay(endings []ending, b *lease, t *tenure) *ending {
	for i := range endings {
		e := &endings[i]
		if e.inv.Time < t.from && e.ret.Time > t.last && e.lease.client != b.client {
			return e
		}
	}
	return nil
}

func (r *foreignRelease) report(e ending, b *lease, t *tenure) {
	r.found.add("foreign-release", e.lease.inv.Time, func() Anomaly {
		w := []*history.Op{e.lease.ret, b.inv, b.ret, e.inv, e.ret}
		if n := len(t.sights); n > 0 {
			w = append(w, t.sights[n-1])
		}
		return Anomaly{
			Lock: b.lock.name, Time: t.after, Ops: ops(w...),
			Sentence: fmt.Sprintf("the %s of %s by %s (%s) from %s to %s ended %s of %s: the server was seen to keep the lock for %s at %s and no longer at %s, though it was neither released nor expired",
				e.inv.F, b.lock.name, who(e.lease.client), e.lease.name(), at(e.inv.Time), at(e.ret.Time), b.name(), who(b.client),
				who(b.client), at(t.last), at(t.after)),
		}
	})
}

// inferred judges by the answers: A's release succeeded although another grant B had returned
// after A's promise ended and before the release was called, and B still held.
func (r *foreignRelease) inferred(l *lockView, endings []ending) {
	var holders []*lease // by whom the lock is still held at the call of an ending, as far as is known
	next := 0
	for _, e := range endings {
		for ; next < len(l.leases) && l.leases[next].granted() < e.inv.Time; next++ {
			holders = append(holders, l.leases[next])
		}
		holders = slices.DeleteFunc(holders, func(g *lease) bool { return min(g.end, g.gone) <= e.inv.Time })
		a, b := e.lease, r.robbed(e, holders)
		if b == nil || r.run.disturbed(a.granted(), e.ret.Time) {
			continue
		}
		r.found.add("foreign-release", a.inv.Time, func() Anomaly {
			return Anomaly{
				Lock: b.lock.name, Time: e.ret.Time, Ops: ops(a.ret, a.lastTold(), b.inv, b.ret, b.firstTold(), e.inv, e.ret),
				Sentence: fmt.Sprintf("the %s of %s by %s (%s, whose promise had ended at %s) from %s to %s succeeded although %s had been granted %s at %s and still held it (inferred: the server was not looked at)",
					e.inv.F, b.lock.name, who(a.client), a.name(), at(promiseBeforeRelease(a)), at(e.inv.Time), at(e.ret.Time),
					who(b.client), b.name(), at(b.granted())),
			}
		})
	}
}

// robbed is the latest grant of another process that returned after the promise of an ending's
// lease had ended and was promised beyond that ending; nil for none. Its holder's re-entries
// may have returned since.
func (r *foreignRelease) robbed(e ending, holders []*lease) *lease {
	a, over := e.lease, promiseBeforeRelease(e.lease)
	for _, b := range slices.Backward(holders) {
		after := over < e.inv.Time && b.granted() >= over && b.granted() > a.granted()
		if after && b.process != a.process && a.excludes(b) && min(b.end, b.gone) > e.ret.Time {
			return b
		}
	}
	return nil
}

// promiseBeforeRelease is the end of a promise that ended before its holder
// called for the release; that call is the end of all others.
func promiseBeforeRelease(l *lease) int64 { return max(l.end, l.granted()) }
