package checker_test

import (
	"slices"
	"time"

	"locktorture/history"
)

func (r *reference) doubleGrants() int { return r.twice("") }

// twice counts the grants of a mode beside which another of it was promised.
func (r *reference) twice(mode string) (n int) {
	if r.onlyWatched() {
		return 0
	}
	for _, b := range r.leases {
		broken := slices.ContainsFunc(r.leases, func(a *refLease) bool {
			return a.mode() == mode && b.mode() == mode && r.breaks(a, b)
		})
		if broken {
			n++
		}
	}
	return n
}

// breaks reports whether a grant to another process returned before the promise of an earlier
// lease ended.
func (r *reference) breaks(a, b *refLease) bool {
	return a.lock == b.lock && a.line < b.line && a.process != b.process && b.ret < a.promise && !r.overAtFirst(b)
}

func (r *reference) lateNotices() (n int) {
	for _, g := range r.leases {
		if _, lag := r.notice(g); r.onlyWatched() && lag > 0 {
			n++
		}
	}
	return n
}

func (r *reference) voidGrants() (n int) {
	for _, g := range r.leases {
		if r.o.TTL > 0 && r.void(g) {
			n++
		}
	}
	return n
}

func (r *reference) void(g *refLease) bool {
	at, ends, lost := never, never, false
	if len(g.answers) > 0 {
		at, ends = g.answers[0].Time, g.answers[0].UntilMax
	}
	if g.over != nil && g.over.Time < at {
		at, ends = g.over.Time, g.over.Time
	}
	if r.o.Watched && g.lost != nil && toldOf(g.lost) < at && toldOf(g.lost) < g.ret+r.trip {
		at, ends, lost = toldOf(g.lost), toldOf(g.lost), true
	}
	quarter, from := int64(r.o.TTL)/4, g.call-2*int64(r.o.TTL)
	released := g.release != nil && g.release.inv.Time <= at || g.crash != nil && g.killed <= at
	again := slices.ContainsFunc(r.leases, func(a *refLease) bool {
		return a.lock == g.lock && a.process == g.process && a.line < g.line && a.gone > g.call
	})
	struck := func(f refFault) bool { return f.client == 0 || f.client == g.client }
	switch {
	case at == never, released, again, ends-g.call >= quarter:
		return false
	case lost && r.pace(from, at) >= quarter:
		return false
	}
	return !r.meets(from, at, struck)
}

func (r *reference) overruns() (n int) {
	for _, op := range r.ops {
		if op.inv.Store != "" && op.lease != nil && (op.ret == nil || op.ret.Refused != history.ByClient) && r.overrun(op) {
			n++
		}
	}
	return n
}

func (r *reference) overrun(op *refOp) bool {
	g, sent, answered := op.lease, op.inv.Time, never
	if op.ret != nil {
		answered = op.ret.Time
	}
	if sent >= g.promise {
		return r.o.Bounded && g.knewEnded(sent) || g.taken(sent)
	}
	return (r.landedLate(op) || refusedByFence(op)) && g.taken(answered) && g.next >= g.promise
}

// taken reports whether another had been granted the lock before a moment.
func (g *refLease) taken(at int64) bool { return g.next < at }

// knewEnded reports whether the validity last told was over, and nothing renewed since.
func (g *refLease) knewEnded(t int64) bool {
	var last *history.Op
	for i := range g.answers {
		if g.answers[i].Time <= t {
			last = &g.answers[i]
		}
	}
	return last != nil && t > last.UntilMax && !slices.ContainsFunc(g.renewals, func(op *refOp) bool {
		return op.ret != nil && op.ret.Type == history.OK && op.ret.Time > last.Time && op.ret.Time <= t
	})
}

func refusedByFence(op *refOp) bool {
	return op.ret != nil && op.ret.Type == history.Fail && op.ret.Refused == history.ByStore
}

func appliedAt(op *refOp) int64 {
	if op.ret == nil || op.ret.Type == history.Fail {
		return 0
	}
	return op.ret.Apply
}

// landedLate reports whether an operation was applied after one of a lease that was granted
// later.
func (r *reference) landedLate(op *refOp) bool {
	return appliedAt(op) > 0 && slices.ContainsFunc(r.ops, func(x *refOp) bool {
		return x.lease != nil && x.lease.excludes(op.lease) && appliedAt(x) > 0 && appliedAt(x) < appliedAt(op) && x.lease.grant().ret > op.lease.grant().ret
	})
}

// falseValidities: each lease counts once, however often it was told what is not true.
func (r *reference) falseValidities() int {
	if !r.o.Bounded {
		return 0
	}
	found := map[*refLease]bool{}
	slack := 50 * ms
	if r.wholeSeconds() {
		slack += int64(time.Second)
	}
	latest := map[string]map[string]history.Op{} // lock → node → its latest look that counts
	nodes := map[string]map[string]bool{}
	for _, p := range r.h {
		if p.F == history.Probe {
			if nodes[p.Lock] == nil {
				nodes[p.Lock], latest[p.Lock] = map[string]bool{}, map[string]history.Op{}
			}
			nodes[p.Lock][p.Node] = true
		}
	}
	for _, p := range r.h {
		if p.F != history.Probe {
			continue
		}
		g, told := r.promisedTo(p)
		if g == nil {
			continue // it does not count
		}
		latest[p.Lock][p.Node] = p
		short := 0
		for _, q := range latest[p.Lock] {
			if of, its := r.promisedTo(q); of == g && its.Time == told.Time && told.UntilMin-q.UntilMax > slack {
				short++
			}
		}
		if 2*short > len(nodes[p.Lock]) {
			found[g] = true
		}
	}
	return len(found)
}

// promisedTo is the lease for which a look stands, and what its holder had been told by then;
// nil for none that counts.
func (r *reference) promisedTo(p history.Op) (*refLease, history.Op) {
	var g *refLease
	grants := 0
	for _, x := range r.leases {
		if p.Value != "" && x.lock == p.Lock && x.owner == p.Value {
			grants++
			if x.call <= p.Time {
				g = x
			}
		}
	}
	if grants != 1 || g == nil || p.Time >= g.told || len(g.answers) == 0 {
		return nil, history.Op{}
	}
	told := history.Op{Time: -1}
	for _, a := range g.answers {
		if a.Time <= askedFor(p) {
			told = a
		}
	}
	if told.Time < 0 && (len(g.renewals) > 0 || g.answers[0].Time-g.call >= int64(r.o.TTL)/4) {
		return nil, told
	}
	if told.Time < 0 {
		told = g.answers[0]
	}
	servers := func(f refFault) bool { return f.client == 0 || f.kind != "pause" && f.kind != killed }
	if told.UntilMin == history.Never || r.meets(told.Time, p.Time, servers) {
		return nil, told
	}
	return g, told
}

// wholeSeconds reports whether at least half of the sights tell an expiry of whole seconds.
func (r *reference) wholeSeconds() bool {
	seen, whole := 0, 0
	add := func(until, at, jitter int64) {
		if until == history.Never {
			return
		}
		seen++
		if left := until - at + jitter; left >= 0 && left%int64(time.Second) < 2*jitter {
			whole++
		}
	}
	for _, p := range r.h {
		if p.F == history.Probe && p.Value != "" {
			add(p.UntilMax, p.Time, 5*ms)
		}
		for _, h := range p.Holds {
			add(h.Until, p.Time, ms/2)
		}
	}
	return 2*whole >= seen
}
