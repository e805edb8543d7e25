package checker_test

import (
	"slices"
	"time"

	"locktorture/history"
)

// A refLook is a look at all who hold a lock.
type refLook struct {
	asked, at int64
	node      string
	holds     map[string]history.Hold
}

// refLooks returns the looks at a lock that did not overlap the look before them.
func (r *reference) refLooks(lock string) (out []refLook) {
	for _, p := range r.h {
		if p.Holds == nil || p.Lock != lock {
			continue
		}
		k := refLook{asked: askedFor(p), at: p.Time, node: p.Node, holds: map[string]history.Hold{}}
		for _, h := range p.Holds {
			k.holds[h.Owner] = h
		}
		if n := len(out); n == 0 || k.asked >= out[n-1].at {
			out = append(out, k)
		}
	}
	return out
}

// only is the grant that a name stands for, if it is one.
func (r *reference) only(lock, owner string) (found *refLease) {
	for _, g := range r.leases {
		if g.lock == lock && g.owner == owner {
			if found != nil {
				return nil
			}
			found = g
		}
	}
	return found
}

// least is the earliest end of a hold that a look allows.
func (k refLook) least(owner string) int64 {
	if until := k.holds[owner].Until; until < never {
		return until - (k.at - k.asked)
	}
	return never
}

// meets tells that an operation of a lock that matches was under way at some time from…to.
func (r *reference) meetsOp(lock string, from, to int64, match func(op *refOp) bool) bool {
	return slices.ContainsFunc(r.ops, func(op *refOp) bool {
		of := op.lease != nil && op.lease.lock == lock || op.lease == nil && op.inv.Lock == lock
		during := op.inv.Time <= to && (op.ret == nil || op.ret.Time >= from)
		return of && during && isHoldCall(op.inv.F) && match(op)
	})
}

func isHoldCall(f history.F) bool {
	switch f {
	case history.Acquire, history.Try, history.Renew, history.Release, history.Upgrade, history.Downgrade:
		return true
	}
	return false
}

func (r *reference) holdsEnded(lock string) (n int) {
	slack := 50 * ms
	if r.wholeSeconds() {
		slack += int64(time.Second)
	}
	looks := r.refLooks(lock)
	for i := 1; i < len(looks); i++ {
		before, k := looks[i-1], looks[i]
		for owner, h := range before.holds {
			b, now := r.only(lock, owner), k.holds[owner]
			_, there := k.holds[owner]
			switch {
			case before.node != k.node, b == nil, there && now.Permits >= h.Permits:
			case b.ret >= before.asked, b.told <= k.at, b.release == nil:
			case before.least(owner)-slack <= k.at, r.o.Expires && h.Until == never, r.disturbed(b.ret, k.at):
			case r.meetsOp(lock, before.asked, k.at, func(op *refOp) bool { // of its own
				return op.lease == b && (op.inv.F == history.Renew || op.inv.F == history.Upgrade || op.inv.F == history.Downgrade)
			}):
			case r.meetsOp(lock, before.asked, k.at, func(op *refOp) bool {
				return op.inv.Client != b.client && op.ret != nil && op.ret.Type == history.OK
			}):
				n++
			}
		}
	}
	return n
}

func (r *reference) partialGrants() (n int) {
	for _, g := range r.leases {
		if g.op.inv.Permits == 0 || r.only(g.lock, g.owner) != g {
			continue
		}
		most, node := 0, ""
		for _, k := range r.refLooks(g.lock) {
			if _, there := k.holds[g.owner]; !there || k.node != node {
				most = 0
			}
			node = k.node
			h := k.holds[g.owner]
			in := g.ret < k.asked && k.at < g.promise && !(r.o.Expires && h.Until == never)
			if 0 < h.Permits && h.Permits < g.op.inv.Permits && most < g.op.inv.Permits && in && !r.disturbed(g.call, k.at) {
				n++
				break
			}
			most = max(most, h.Permits)
		}
	}
	return n
}

// dead tells since when a holder could do nothing, all the time of a look; 0 if it could.
func (r *reference) helpless(g *refLease, k refLook) int64 {
	slowed := slices.ContainsFunc(r.faults, func(f refFault) bool { return f.kind == "latency" && f.from <= k.at && f.to >= g.call })
	if slowed || g.release != nil && g.release.inv.Time <= k.at {
		return 0
	}
	if g.crash != nil && g.crash.Time < k.asked {
		return g.crash.Time
	}
	for _, f := range r.faults {
		if f.kind == "pause" && f.client == g.client && f.from < k.asked && k.at < f.to-100*ms {
			return f.from
		}
	}
	return 0
}

// moved tells that a hold was extended between two looks, and that another called then.
func (r *reference) extended(g *refLease, since int64, a, b refLook) bool {
	step := max(int64(r.o.Retry), 50*ms)
	if r.wholeSeconds() {
		step += int64(time.Second)
	}
	return b.least(g.owner)-a.holds[g.owner].Until > step && r.meetsOp(g.lock, a.asked, b.at, func(op *refOp) bool {
		return op.inv.Client != g.client || g.crash != nil && g.crash.Time == since && op.inv.Time > since
	})
}

func (r *reference) extendedByOthers() (n int) {
	for _, g := range r.leases {
		if g.owner == "" || r.only(g.lock, g.owner) != g {
			continue
		}
		var chain []refLook
		var since int64
		for _, k := range r.refLooks(g.lock) {
			h, there := k.holds[g.owner]
			s := r.helpless(g, k)
			if !there || s == 0 || h.Until == never || g.call > k.at {
				chain = nil
				continue
			}
			if m := len(chain); m > 0 && (s != since || chain[m-1].node != k.node || r.disturbed(chain[m-1].asked, k.at)) {
				chain = nil
			}
			chain, since = append(chain, k), s
			if r.extendedTwice(g, since, chain) {
				n++
				break
			}
		}
	}
	return n
}

// extendedTwice reports whether the last look of some shows an extension after another.
func (r *reference) extendedTwice(g *refLease, since int64, chain []refLook) bool {
	last := chain[len(chain)-1]
	for j := range len(chain) - 1 {
		if !r.extended(g, since, chain[j], last) {
			continue
		}
		for i := range j {
			if r.extended(g, since, chain[i], chain[j]) {
				return true
			}
		}
	}
	return false
}

// leftHolds counts the leases that a server lists for longer than a retry interval after their
// release was answered.
func (r *reference) leftHolds() (n int) {
	for _, g := range r.leases {
		if g.owner == "" || r.only(g.lock, g.owner) != g || g.release == nil || g.release.ret == nil || g.release.ret.Type == history.Info {
			continue
		}
		if g.lost != nil && g.release.ret.Type == history.Fail && g.lost.Time <= g.release.ret.Time {
			continue // it had given up
		}
		var chain []refLook
		for _, k := range r.refLooks(g.lock) {
			_, there := k.holds[g.owner]
			if !there || k.asked <= g.release.ret.Time || len(chain) > 0 && chain[0].node != k.node {
				chain = nil
			}
			if !there || k.asked <= g.release.ret.Time {
				continue
			}
			chain = append(chain, k)
			if k.asked-chain[0].at > max(int64(r.o.Retry), 50*ms) && !r.copied(chain[0].asked, k.at) {
				n++
				break
			}
		}
	}
	return n
}

// copied reports whether servers may have kept copies of what was given up from…to.
func (r *reference) copied(from, to int64) bool {
	return slices.ContainsFunc(r.faults, func(f refFault) bool {
		return (f.kind == "failover" || f.kind == "restart") && f.from <= to+int64(5*time.Second) && f.to >= from
	})
}
