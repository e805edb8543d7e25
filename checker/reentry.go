package checker

import (
	"fmt"
	"strings"

	"locktorture/history"
)

// tokenChanged finds re-entries that were answered with another token than the one that their
// holder had.
type tokenChanged struct{ base }

func (r *tokenChanged) check(p *piece) {
	if !r.run.o.Tokens {
		return
	}
	for _, w := range p.calls {
		if w.within == nil || w.dead || w.lease == nil {
			continue
		}
		g, outer := w.lease, w.within
		if g.token != 0 && outer.token != 0 && g.token != outer.token && outer.end > g.granted() {
			r.report(p.name, outer, g)
		}
	}
}

func (r *tokenChanged) report(lock string, outer, g *lease) {
	r.found.add("token-changed", outer.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: lock, Time: g.granted(), Ops: ops(outer.ret, g.inv, g.ret),
			Sentence: fmt.Sprintf("%s, who held %s under lease %d with token %d since %s, took it again at %s and got token %d (lease %d): a re-entry is no new grant",
				who(g.client), lock, outer.n, outer.token, at(outer.granted()), at(g.granted()), g.token, g.n),
		}
	})
}

// selfDeadlock finds holders that were refused their own lock, or had to wait for it, while
// their promise lasted and no fault was in place that may strike them.
type selfDeadlock struct {
	base
	outside *wait // the first re-entry that waited for long, and may have been slow itself
	shutOut bool  // there was another, so that both are reported
}

func (r *selfDeadlock) check(p *piece) {
	for _, w := range p.calls {
		if w.within != nil && !w.dead {
			r.reentry(p.name, w)
		}
	}
}

// reentry judges one re-entry.
func (r *selfDeadlock) reentry(lock string, w *wait) {
	outer, until := w.within, r.until(w)
	if until <= w.call || r.run.upset(w.client, w.call, until) {
		return
	}
	waited := until - w.call - r.run.idle(w.client, w.call, until, true)
	refused := w.refused() && w.ret.Refused != history.ByTime && w.end < outer.end
	enough := 2 * max(r.run.allowance(), hops*r.run.pace(w.call, until))
	in := w.lease != nil && w.end < outer.end
	switch {
	case refused || waited > max(enough, slow*r.run.o.freeBy()):
		r.report(lock, w, refused)
	case waited > enough && !in: // one may have been slow itself
		if r.outside == nil {
			r.outside = w
			return
		}
		if !r.shutOut {
			r.report(lock, r.outside, false)
		}
		r.shutOut = true
		r.report(lock, w, false)
	}
}

// until is the moment up to which a holder that asks for its lock again can have waited while
// its promise lasted.
func (r *selfDeadlock) until(w *wait) int64 { return min(w.end, w.within.end, r.run.end) }

func (r *selfDeadlock) report(lock string, w *wait, refused bool) {
	outer, until := w.within, r.until(w)
	how := "was not let in for " + dur(until-w.call)
	if refused {
		how = "was refused at " + at(w.end)
	}
	r.found.add("self-deadlock", outer.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: lock, Time: until, Ops: ops(outer.inv, outer.ret, w.inv, w.ret),
			Sentence: fmt.Sprintf("%s, who held %s (%s, granted at %s), asked for it again at %s and %s, although the lock declares that its holder may enter again",
				who(w.client), lock, outer.name(), at(outer.granted()), at(w.call), how),
		}
	})
}

// reentrant is the model with re-entries for one that does not know of them, itself where
// there is none.
func reentrant(model string) string {
	switch model {
	case "mutex", "fenced":
		return map[string]string{"mutex": "reentrant", "fenced": "reentrant-fenced"}[model]
	}
	return model
}

// knowsReentry reports whether re-entries can be judged by a model.
func knowsReentry(model string) bool { return strings.HasPrefix(model, "reentrant") }
