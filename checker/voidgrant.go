package checker

import (
	"fmt"
	"math"

	"locktorture/history"
)

// spare is the part of the TTL in which a fresh lease cannot be over for any
// honest reason: no lock counts a validity from before the call, and the most
// careful ones take half of the TTL off.
const spare = 4

// voidGrant finds grants that were worth nothing: the first that the holder hears of its lease
// is that it is over, or will be before a quarter of the TTL has passed since the call, and no
// fault explains it. Without this rule a lock could grant everybody and break no promise,
// because it makes none.
type voidGrant struct{ base }

func (r *voidGrant) check(p *piece) {
	if r.run.o.TTL <= 0 {
		return
	}
	held := map[int]int64{} // process → until when it holds by an earlier lease
	for _, g := range p.fresh() {
		again := held[g.process] > g.inv.Time // a re-entry has what is left of the lease below it
		held[g.process] = max(held[g.process], g.gone)
		w := r.firstWord(g)
		if w == nil || again || w.end-g.inv.Time >= int64(r.run.o.TTL)/spare {
			continue
		}
		before := g.inv.Time - 2*int64(r.run.o.TTL) // what ended a session may have been over by then
		late := w.op == g.lost && r.run.pace(before, w.at) >= int64(r.run.o.TTL)/spare
		if late || r.run.explained(g.client, before, w.at) {
			continue
		}
		r.report(g, w)
	}
}

// A word is what a holder was told of its lease.
type word struct {
	at  int64 // when it heard of it
	end int64 // of the lease, at the latest
	op  *history.Op
}

// firstWord is what a holder was told first; nil if that is nothing, or if it
// had given the lease back or died before.
func (r *voidGrant) firstWord(g *lease) *word {
	w := &word{at: math.MaxInt64}
	if len(g.answers) > 0 {
		a := g.answers[0]
		w = &word{a.at, a.max, a.op}
	}
	if g.over != nil && g.over.Time < w.at {
		w = &word{g.over.Time, g.over.Time, g.over}
	}
	// A session may end at any time; a notice that is there before the lease can be used says
	// that it had.
	if r.run.o.Watched && g.lost != nil && toldAt(g.lost) < min(w.at, g.granted()+r.run.usualTrip) {
		w = &word{toldAt(g.lost), toldAt(g.lost), g.lost}
	}
	ended := g.relCall != nil && g.relCall.Time <= w.at || g.crash != nil && g.killed <= w.at
	if w.op == nil || ended {
		return nil
	}
	return w
}

func (r *voidGrant) report(g *lease, w *word) {
	r.found.add("void-grant", g.inv.Time, func() Anomaly {
		what := "that it was over"
		if w.end > w.at {
			what = "that it ends at " + at(w.end) + " at the latest"
		}
		return Anomaly{
			Lock: g.lock.name, Time: w.at, Ops: ops(g.inv, g.ret, w.op),
			Sentence: fmt.Sprintf("%s called for %s at %s and was granted it at %s (%s): the first that it was told of it, at %s, is %s, with a TTL of %s and no fault that explains it",
				who(g.client), g.lock.name, at(g.inv.Time), at(g.granted()), g.name(), at(w.at), what, dur(int64(r.run.o.TTL))),
		}
	})
}
