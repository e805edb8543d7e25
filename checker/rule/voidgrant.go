package rule

import (
	"fmt"
	"math"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// spare divides the TTL: within TTL/spare of its call, a fresh lease cannot be over for any
// honest reason. No lock counts a validity from before the call, and the most careful locks
// subtract half of the TTL.
const spare = 4

// voidGrant finds grants that were worth nothing: the first report to the holder says that its
// lease is over, or will be over before a quarter of the TTL has passed since the call, and no
// fault explains it.
//
// Guarantee: a grant gives its holder some of the TTL. Without this rule a lock could grant
// everybody and break no promise, because it makes none.
type voidGrant struct{ base }

func (r *voidGrant) check(p *timeline.Piece) {
	if r.run.Options.TTL <= 0 {
		return
	}
	held := map[int]int64{} // process → until when it holds by an earlier lease
	for _, g := range p.Fresh() {
		again := held[g.Process] > g.Inv.Time // a re-entry has only what is left of the outer lease
		held[g.Process] = max(held[g.Process], g.Gone)
		w := r.firstWord(g)
		if w == nil || again || w.end-g.Inv.Time >= int64(r.run.Options.TTL)/spare {
			continue
		}
		before := g.Inv.Time - 2*int64(r.run.Options.TTL) // a fault that ended a session may have been over by then
		late := w.op == g.Lost && r.run.Pace(before, w.at) >= int64(r.run.Options.TTL)/spare
		if late || r.run.Explained(g.Client, before, w.at) {
			continue
		}
		r.report(g, w)
	}
}

// A word is a report to a holder about its lease.
type word struct {
	at  int64 // when it heard of it
	end int64 // when the lease ends, at the latest
	op  *history.Op
}

// firstWord returns what a holder was told first; nil if it was told nothing, or had given the
// lease back or died before.
func (r *voidGrant) firstWord(g *timeline.Lease) *word {
	w := &word{at: math.MaxInt64}
	if len(g.Answers) > 0 {
		a := g.Answers[0]
		w = &word{a.At, a.Max, a.Op}
	}
	if g.Over != nil && g.Over.Time < w.at {
		w = &word{g.Over.Time, g.Over.Time, g.Over}
	}
	// A session may end at any time; a notice that is there before the lease can be used says
	// that it had.
	if r.run.Options.Watched && g.Lost != nil && timeline.ToldAt(g.Lost) < min(w.at, g.Granted()+r.run.UsualTrip) {
		w = &word{timeline.ToldAt(g.Lost), timeline.ToldAt(g.Lost), g.Lost}
	}
	ended := g.RelCall != nil && g.RelCall.Time <= w.at || g.Crash != nil && g.Killed <= w.at
	if w.op == nil || ended {
		return nil
	}
	return w
}

func (r *voidGrant) report(g *timeline.Lease, w *word) {
	r.found.Add("void-grant", g.Inv.Time, func() incident.Anomaly {
		what := "that it was over"
		if w.end > w.at {
			what = "that it ends at " + timeline.At(w.end) + " at the latest"
		}
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: w.at, Ops: incident.Ops(g.Inv, g.Ret, w.op),
			Sentence: fmt.Sprintf("%s asked for %s at %s and was granted it at %s (%s). The first report on this lease, at %s, said %s. The TTL is %s, and no fault explains this",
				timeline.Who(g.Client), g.Lock.Name, timeline.At(g.Inv.Time), timeline.At(g.Granted()), g.Name(), timeline.At(w.at), what, timeline.Dur(int64(r.run.Options.TTL))),
		}
	})
}
