package checker_test

import (
	"math"

	"locktorture/history"
)

// toldOf is when the driver heard of a loss.
func toldOf(lost *history.Op) int64 {
	if lost.UntilMin > 0 {
		return min(lost.UntilMin, lost.Time)
	}
	return lost.Time
}

// promises finds what each lease promised, until when its holder was there, and when it may
// have been granted.
func (r *reference) promises() {
	for _, g := range r.leases {
		g.told, g.gone = never, never
		if g.release != nil {
			if g.told = g.release.inv.Time; g.release.ret != nil {
				g.gone = g.release.ret.Time
			}
		}
		if g.crash != nil {
			g.told, g.gone = min(g.told, g.killed), min(g.gone, g.crash.Time)
		}
		if g.lost != nil && r.o.Watched {
			g.told = min(g.told, toldOf(g.lost))
		}
		if g.over != nil {
			g.told = min(g.told, g.over.Time)
		}
		if g.promise = g.told; r.o.Bounded {
			g.promise = min(g.told, validity(g.answers))
		}
		g.since = g.call
		if r.o.Bounded && r.o.Expires && len(g.answers) > 0 && g.answers[0].UntilMin != history.Never {
			g.since = min(max(g.call, g.answers[0].UntilMin-int64(r.o.TTL)), g.ret)
		}
		if o := g.inner; o != nil && o.promise > g.ret && o.token == g.token {
			g.outer, g.since = o, o.since
		}
	}
	for _, g := range r.leases {
		r.taken(g)
	}
	for _, g := range r.leases {
		if from, lag := r.notice(g); r.onlyWatched() && from < min(g.told, r.end) && lag <= 0 {
			g.promise = from // it could not be told sooner
		}
	}
}

// validity: each answer counts until the next one, the last one for as long as it says.
func validity(answers []history.Op) int64 {
	end := int64(math.MinInt64)
	for i, a := range answers {
		if i+1 < len(answers) {
			end = max(end, min(a.UntilMin, answers[i+1].Time))
		} else {
			end = max(end, a.UntilMin)
		}
	}
	return end
}

func (g *refLease) before(other *refLease) bool { return g.ret < other.since }

// grant is the outermost lease of a re-entry.
func (g *refLease) grant() *refLease {
	for g.outer != nil {
		g = g.outer
	}
	return g
}

func (r *reference) onlyWatched() bool { return r.o.Watched && !r.o.Bounded }

// taken finds from when on another, newer grant had the lock: its return.
func (r *reference) taken(g *refLease) {
	for _, x := range r.leases {
		if x.excludes(g) && x.process != g.process && r.newer(x, g) {
			g.next = min(g.next, x.ret)
		}
	}
}

// newer reports whether x was granted after g.
func (r *reference) newer(x, g *refLease) bool {
	switch tokens := x.token != 0 && g.token != 0; {
	case x.before(g):
		return false
	case g.before(x):
		return true
	case tokens && x.token != g.token:
		return x.token > g.token
	case x.line < g.line:
		return false
	case tokens, !r.onlyWatched():
		return true
	}
	return x.ret-g.ret > r.idle(x.client, g.ret, x.ret, true)+r.trip+2*r.pace(g.ret, x.ret)
}

// notice is from when on the holder had to be told that another was granted the lock, and how
// much too late that was.
func (r *reference) notice(g *refLease) (from, lag int64) {
	if g.next == never {
		return never, 0
	}
	from = max(g.next, g.ret)
	to := min(g.told, r.end)
	if to <= from {
		return from, 0
	}
	return from, to - from - r.idle(g.client, from, to, false) - r.trip - 2*r.pace(from, to)
}
