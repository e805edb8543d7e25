package checker

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
)

// reentries judges how holders that asked for their lock again were answered: at once, and
// with the token that they had.
func (v *view) reentries(l *lockView, waits []*wait) {
	for _, w := range waits {
		if w.within == nil || w.dead {
			continue
		}
		v.selfDeadlock(l, w)
		if g := w.lease; g != nil && v.o.Tokens && g.token != 0 && w.within.token != 0 && g.token != w.within.token && w.within.end > g.granted() {
			v.tokenChanged(l, w)
		}
	}
}

func (v *view) tokenChanged(l *lockView, w *wait) {
	outer, g := w.within, w.lease
	l.found.add("token-changed", outer.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: g.granted(), Ops: ops(outer.ret, w.inv, w.ret),
			Sentence: fmt.Sprintf("%s, who held %s under lease %d with token %d since %s, took it again at %s and got token %d (lease %d): a re-entry is no new grant",
				who(g.client), l.name, outer.n, outer.token, at(outer.granted()), at(g.granted()), g.token, g.n),
		}
	})
}

// selfDeadlock: a holder was refused its own lock, or had to wait for it, while its promise
// lasted and no fault was in place that may strike it.
func (v *view) selfDeadlock(l *lockView, w *wait) {
	outer, until := w.within, v.outside(w)
	if until <= w.call || v.upset(w.client, w.call, until) {
		return
	}
	waited := until - w.call - v.idle(w.client, w.call, until, true)
	refused := w.refused() && w.ret.Refused != history.ByTime && w.end < outer.end
	enough := 2 * max(v.allowance(), hops*v.pace(w.call, until))
	in := w.lease != nil && w.end < outer.end
	switch {
	case refused || waited > max(enough, slow*v.o.freeBy()):
		v.addSelfDeadlock(l, w, refused)
	case waited > enough && !in: // one may have been slow itself
		if l.past.outside == nil {
			l.past.outside = w
			return
		}
		if !l.past.shutOut {
			v.addSelfDeadlock(l, l.past.outside, false)
		}
		l.past.shutOut = true
		v.addSelfDeadlock(l, w, false)
	}
}

// outside is until when a holder that asks for its lock again can have waited while its
// promise lasted.
func (v *view) outside(w *wait) int64 { return min(w.end, w.within.end, v.end) }

func (v *view) addSelfDeadlock(l *lockView, w *wait, refused bool) {
	outer, until := w.within, v.outside(w)
	how := "was not let in for " + dur(until-w.call)
	if refused {
		how = "was refused at " + at(w.end)
	}
	l.found.add("self-deadlock", outer.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: until, Ops: ops(outer.inv, outer.ret, w.inv, w.ret),
			Sentence: fmt.Sprintf("%s, who held %s (%s, granted at %s), asked for it again at %s and %s, although the lock declares that its holder may enter again",
				who(w.client), l.name, outer.name(), at(outer.granted()), at(w.call), how),
		}
	})
}

// within reports whether a lease is part of a hold that its process had already.
func (l *lease) within() bool { return l.inner || l.repeats }

// reenters reports whether a holder asked for the lock again.
func (w *wait) reenters() bool { return w.within != nil || w.lease != nil && w.lease.repeats }

// reentered reports whether a holder asked for the lock again.
func (l *lockView) reentered(waits []*wait) bool { return slices.ContainsFunc(waits, (*wait).reenters) }

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
