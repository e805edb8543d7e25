package rule

import (
	"fmt"
	"strings"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// tokenChanged finds re-entries that were answered with another token than the one that their
// holder had.
//
// Guarantee: a re-entry is no new grant. With a new token the holder could fence itself off.
//
// Token 0 is no token. If the promise of the outer lease had ended, the lock may have been granted
// anew, and then another token is right.
type tokenChanged struct{ base }

func (r *tokenChanged) check(p *timeline.Piece) {
	if !r.run.Options.Tokens {
		return
	}
	for _, w := range p.Calls {
		if w.Within == nil || w.Dead || w.Lease == nil {
			continue
		}
		g, outer := w.Lease, w.Within
		if g.Token != 0 && outer.Token != 0 && g.Token != outer.Token && outer.End > g.Granted() {
			r.report(p.Name, outer, g)
		}
	}
}

func (r *tokenChanged) report(lock string, outer, g *timeline.Lease) {
	r.found.Add("token-changed", outer.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: lock, Time: g.Granted(), Ops: incident.Ops(outer.Ret, g.Inv, g.Ret),
			Sentence: fmt.Sprintf("%s, who held %s under lease %d with token %d since %s, took it again at %s and got token %d (lease %d), but a re-entry must keep the token",
				timeline.Who(g.Client), lock, outer.Number, outer.Token, timeline.At(outer.Granted()), timeline.At(g.Granted()), g.Token, g.Number),
		}
	})
}

// selfDeadlock finds holders that were refused their own lock, or had to wait for it, while their
// promise lasted and no fault was in place that may strike them.
//
// Guarantee: a lock that declares re-entry lets its holder in again.
//
// A slow answer is no refusal. So the wait must be more than twice what a request takes at most, and
// there must be two such waits, or one that is longer than twice FreeBy.
type selfDeadlock struct {
	base
	outside *timeline.Call // the first re-entry that waited for long, and may have been slow itself
	shutOut bool           // there was another, so that both are reported
}

func (r *selfDeadlock) check(p *timeline.Piece) {
	for _, w := range p.Calls {
		if w.Within != nil && !w.Dead {
			r.reentry(p.Name, w)
		}
	}
}

// reentry judges one re-entry.
func (r *selfDeadlock) reentry(lock string, w *timeline.Call) {
	outer, until := w.Within, r.until(w)
	if until <= w.Called || r.run.Upset(w.Client, w.Called, until) {
		return
	}
	// Stops of the client, messages held back and stalls are nobody's refusal, so they are subtracted.
	waited := until - w.Called - r.run.Idle(w.Client, w.Called, until, true)
	// A call that ran out of its own time was refused by nobody, and counts as a wait.
	refused := w.Refused() && w.Ret.Refused != history.ByTime && w.End < outer.End
	enough := 2 * max(r.run.Allowance(), timeline.Hops*r.run.Pace(w.Called, until))
	in := w.Lease != nil && w.End < outer.End
	switch {
	case refused || waited > max(enough, timeline.Slow*r.run.Options.FreeBy()):
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

// until returns the end of the time for which a holder that asked for its lock again can have
// waited while its promise lasted.
func (r *selfDeadlock) until(w *timeline.Call) int64 { return min(w.End, w.Within.End, r.run.End) }

func (r *selfDeadlock) report(lock string, w *timeline.Call, refused bool) {
	outer, until := w.Within, r.until(w)
	how := "was not let in for " + timeline.Dur(until-w.Called)
	if refused {
		how = "was refused at " + timeline.At(w.End)
	}
	r.found.Add("self-deadlock", outer.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: lock, Time: until, Ops: incident.Ops(outer.Inv, outer.Ret, w.Inv, w.Ret),
			Sentence: fmt.Sprintf("%s, who held %s (%s, granted at %s), asked for it again at %s and %s, although the lock declares that its holder may enter again",
				timeline.Who(w.Client), lock, outer.Name(), timeline.At(outer.Granted()), timeline.At(w.Called), how),
		}
	})
}

// reentrant returns the variant of a model that allows re-entries, or the model itself if it
// has no such variant.
func reentrant(model string) string {
	switch model {
	case "mutex", "fenced":
		return map[string]string{"mutex": "reentrant", "fenced": "reentrant-fenced"}[model]
	}
	return model
}

// knowsReentry reports whether re-entries can be judged by a model.
func knowsReentry(model string) bool { return strings.HasPrefix(model, "reentrant") }
