package rule

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// foreignRelease finds releases and renewals by one client that ended the lease of another.
// Where probes looked at the servers, the rule goes by what they saw there. Elsewhere it goes
// by the answers alone.
//
// Guarantee: only the holder can end its lease before its time. A fault that can take a lock from
// its holder on a server excuses what was seen, since the server may have lost the lease by itself.
type foreignRelease struct {
	base
	endings []ending // by call: the endings that a tenure not judged yet may need
}

func (r *foreignRelease) check(p *timeline.Piece) {
	endings := newEndings(p.Fresh())
	switch {
	case r.run.Probed[p.Name] != nil:
		r.endings = append(r.endings, endings...)
		slices.SortStableFunc(r.endings, endingsByCall)
		r.seen(p.Lock, p.Tenures)
		r.prune(p.Sights.Horizon(p.Before))
	case !r.run.Options.Blind: // else an answer is no evidence
		r.inferred(p.Lock, endings)
	}
}

// prune drops the endings that no tenure still to be judged can need. The oldest such tenure
// was first seen at from, and the known part of it ends at seen.
func (r *foreignRelease) prune(from, seen int64) {
	var kept []ending
	earlier := -1 // index of the last ending called before from
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

// An ending is a successful release or renewal, and the lease under which it was made.
type ending struct {
	lease    *timeline.Lease
	inv, ret *history.Op
}

// newEndings returns the successful releases and renewals of some leases, by call.
func newEndings(leases []*timeline.Lease) []ending {
	var out []ending
	for _, g := range leases {
		if g.RelRet != nil && g.RelRet.Type == history.OK {
			out = append(out, ending{g, g.RelCall, g.RelRet})
		}
		for _, c := range slices.Concat(g.Again, g.Renewals) {
			if c.Return != nil && c.Return.Type == history.OK {
				out = append(out, ending{g, c.Invoke, c.Return})
			}
		}
	}
	slices.SortStableFunc(out, endingsByCall)
	return out
}

// seen judges by the looks: owner B was seen before the release of A and no longer after it, B had
// neither released nor expired nor died, and there was no fault in place that can take a lock
// from its holder on the server.
func (r *foreignRelease) seen(l *timeline.Lock, tenures []*timeline.Tenure) {
	endings := r.endings
	for _, t := range tenures {
		b, reused := r.run.OwnerAt(l, t.Owner, t.Last)
		// A tenure that goes on has lost nothing. A name that a whole session uses may stand for an
		// earlier lease, if this one was granted after the server was last asked.
		if b == nil || t.After == 0 || reused && b.Granted() > t.Asked {
			continue
		}
		left := b.RelCall != nil && b.RelCall.Time <= t.After || b.Crash != nil && b.Killed <= t.After
		// Where leases end by themselves, a lease that shows no expiry may have ended, and a
		// lease whose expiry is in whole seconds may have ended a second before that.
		expired := t.Until <= t.After+r.run.Coarseness() || r.run.Options.Expires && t.Until == history.Never
		if left || expired || r.run.Disturbed(t.From, t.After) {
			continue
		}
		if reused && ownEnding(endings, b, t) {
			continue
		}
		e := r.lastBetween(endings, b, t)
		if e == nil && !reused && len(r.run.Probed[l.Name].Nodes) == 1 {
			e = underWay(endings, b, t)
		}
		if e != nil {
			r.report(*e, b, t)
		}
	}
}

// lastBetween finds the last ending by another client between the last sight
// of an owner and the first sight of something else.
func (r *foreignRelease) lastBetween(endings []ending, b *timeline.Lease, t *timeline.Tenure) *ending {
	i, _ := slices.BinarySearchFunc(endings, t.After, func(e ending, at int64) int { return cmp.Compare(e.inv.Time, at) })
	for i--; i >= 0; i-- {
		e := &endings[i]
		if e.ret.Time > t.Last && e.lease.Client != b.Client && min(t.From, b.Granted()) < e.inv.Time && !r.grantedSince(e.lease, b, t) {
			return e
		}
		if e.inv.Time <= min(t.From, b.Granted()) {
			return nil
		}
	}
	return nil
}

// ownEnding reports whether the same client released another lease under the same name when
// that name disappeared from the server.
func ownEnding(endings []ending, b *timeline.Lease, t *timeline.Tenure) bool {
	return slices.ContainsFunc(endings, func(e ending) bool {
		own := e.lease != b && e.lease.Client == b.Client && e.lease.Owner == t.Owner && e.inv.F == history.Release
		return own && e.inv.Time < t.After && e.ret.Time > t.Last
	})
}

// grantedSince reports whether a may have been granted after b, and after b was last seen for
// certain. Then b had ended before that grant, whatever expiry the server showed (some servers
// count whole seconds, and a look takes time), and a's release ended a itself. It reports
// false if a's name stands for one grant and was seen on the only server before b's name.
func (r *foreignRelease) grantedSince(a, b *timeline.Lease, t *timeline.Tenure) bool {
	if o, seen := r.run.Owners[timeline.OwnerKey{Lock: a.Lock.Name, Owner: a.Owner}]; seen && o.Grants == 1 && o.First < t.From && len(r.run.Probed[a.Lock.Name].Nodes) == 1 {
		return false
	}
	return a.Granted() > b.Granted() && a.Granted() > t.Asked
}

// underWay finds an ending by another client that was called before the owner had the lock and
// was still under way when the owner was gone. Such a release has two commands, and its look
// at the owner was answered late. On several nodes, whose owners need not agree, that would
// prove nothing.
func underWay(endings []ending, b *timeline.Lease, t *timeline.Tenure) *ending {
	for i := range endings {
		e := &endings[i]
		if e.inv.Time < t.From && e.ret.Time > t.Last && e.lease.Client != b.Client {
			return e
		}
	}
	return nil
}

func (r *foreignRelease) report(e ending, b *timeline.Lease, t *timeline.Tenure) {
	r.found.Add("foreign-release", e.lease.Inv.Time, func() incident.Anomaly {
		w := []*history.Op{e.lease.Ret, b.Inv, b.Ret, e.inv, e.ret}
		if n := len(t.Sights); n > 0 {
			w = append(w, t.Sights[n-1])
		}
		return incident.Anomaly{
			Lock: b.Lock.Name, Time: t.After, Ops: incident.Ops(w...),
			Sentence: fmt.Sprintf("the %[1]s of %[2]s by %[3]s (%[4]s; called at %[5]s, answered at %[6]s) ended %[7]s of %[8]s: the server still kept the lock for %[9]s when probed at %[10]s, but no longer when probed at %[11]s, although %[7]s had neither expired nor been released",
				e.inv.F, b.Lock.Name, timeline.Who(e.lease.Client), e.lease.Name(), timeline.At(e.inv.Time), timeline.At(e.ret.Time), b.Name(), timeline.Who(b.Client),
				timeline.Who(b.Client), timeline.At(t.Last), timeline.At(t.After)),
		}
	})
}

// inferred judges by the answers: A's release succeeded although another grant B had returned
// after A's promise ended and before the release was called, and B still held.
func (r *foreignRelease) inferred(l *timeline.Lock, endings []ending) {
	var holders []*timeline.Lease // leases that are still held at the call of an ending, as far as is known
	next := 0
	for _, e := range endings {
		for ; next < len(l.Leases) && l.Leases[next].Granted() < e.inv.Time; next++ {
			holders = append(holders, l.Leases[next])
		}
		holders = slices.DeleteFunc(holders, func(g *timeline.Lease) bool { return min(g.End, g.Gone) <= e.inv.Time })
		// A fault that takes locks away may have ended B's lease on the server, so A's release need not
		// have.
		a, b := e.lease, r.robbed(e, holders)
		if b == nil || r.run.Disturbed(a.Granted(), e.ret.Time) {
			continue
		}
		r.found.Add("foreign-release", a.Inv.Time, func() incident.Anomaly {
			return incident.Anomaly{
				Lock: b.Lock.Name, Time: e.ret.Time, Ops: incident.Ops(a.Ret, a.LastTold(), b.Inv, b.Ret, b.FirstTold(), e.inv, e.ret),
				Sentence: fmt.Sprintf("at %[6]s, %[3]s called %[1]s for %[2]s (%[4]s, whose promise had ended at %[5]s). The call succeeded at %[7]s, although %[8]s had been granted %[9]s at %[10]s and still held it (inferred: the server was not probed)",
					e.inv.F, b.Lock.Name, timeline.Who(a.Client), a.Name(), timeline.At(promiseBeforeRelease(a)), timeline.At(e.inv.Time), timeline.At(e.ret.Time),
					timeline.Who(b.Client), b.Name(), timeline.At(b.Granted())),
			}
		})
	}
}

// robbed returns the latest grant of another process that returned after the promise of an ending's
// lease had ended, and whose promise lasted beyond that ending; nil if there is none.
// Re-entries of its holder may have returned since.
func (r *foreignRelease) robbed(e ending, holders []*timeline.Lease) *timeline.Lease {
	a, over := e.lease, promiseBeforeRelease(e.lease)
	for _, b := range slices.Backward(holders) {
		after := over < e.inv.Time && b.Granted() >= over && b.Granted() > a.Granted()
		if after && b.Process != a.Process && a.Excludes(b) && min(b.End, b.Gone) > e.ret.Time {
			return b
		}
	}
	return nil
}

// promiseBeforeRelease returns when the promise of a released lease ended: before its holder
// called for the release, or at that call, but no earlier than the grant.
func promiseBeforeRelease(l *timeline.Lease) int64 { return max(l.End, l.Granted()) }
