package checker

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/history"
)

// deadlock finds locks that nobody had and nobody could get. It looks at each time between the
// end of the last live holder and the next grant for the evidence that docs/verdicts.md asks
// for. A stopped holder is alive.
type deadlock struct {
	base
	gone       int64  // the latest end of a holder so far
	lastHolder *lease // the holder that was gone then; nil if there was none yet
	granted    int64  // when the latest grant returned
	served     served
}

func newDeadlock(b base) *deadlock {
	return &deadlock{base: b, gone: b.run.first, granted: b.run.first, served: served{}}
}

func (r *deadlock) check(p *piece) {
	if r.run.o.FreeWithin <= 0 {
		return
	}
	for _, g := range p.fresh() {
		r.holderless(p.lockView, g, g.granted())
		r.granted = g.granted()
		r.served.serve(g)
		if h := r.lastHolder; h == nil || g.gone > h.gone {
			r.gone, r.lastHolder = max(r.gone, g.gone), g
		}
	}
	if p.last {
		r.holderless(p.lockView, nil, r.run.end)
	}
}

// holderless judges the time from the last holder's end to the return of the
// next grant, nil at the end of the history.
func (r *deadlock) holderless(l *lockView, next *lease, until int64) {
	gone := r.gone
	if gone >= until || until-gone <= r.run.o.freeBy() {
		return
	}
	sure := r.run.disturbances(gone, until)
	if next != nil { // it may have been there from its call, but not before another's return
		sure = append(sure, cut{window{max(next.inv.Time, r.granted), until}, next.wait})
	}
	var found []evidence
	add := func(list []evidence) {
		for _, e := range list {
			if !e.overlaps(found) {
				found = append(found, e)
			}
		}
	}
	killed, open := r.unknownEnds(l, gone, until)
	sure = append(sure, killed...)
	all := append(open, sure...)
	add(r.inVainTogether(l, between(all, gone, until)))
	add(r.inVainAlone(all, window{gone, until}))
	add(r.neverAnswered(l, between(sure, gone, until)))
	slices.SortStableFunc(found, func(a, b evidence) int { return cmp.Compare(a.at, b.at) })
	for _, e := range found {
		r.report(l, e)
	}
}

func (r *deadlock) report(l *lockView, e evidence) {
	since := "nobody had ever held it"
	holder, last := r.lastHolder, e.last
	w := []*history.Op{last.inv, last.ret}
	from := e.from
	if holder != nil {
		since = fmt.Sprintf("its last holder, %s with %s, had gone at %s", who(holder.client), holder.name(), at(holder.gone))
		if holder.crash != nil && holder.crash.Time == holder.gone {
			since = fmt.Sprintf("its last holder, %s with %s, had been killed at %s", who(holder.client), holder.name(), at(holder.gone))
		}
		w = append(w, holder.inv, holder.ret, holder.relCall, holder.relRet, holder.crash)
		from = holder.gone
	}
	kind, what, passed := "deadlock", l.name, r.whileOthers(last, r.run.o.freeBy())
	if last.inv.Mode == history.Shared {
		what += " as a reader"
	}
	if n := last.inv.Permits; n > 0 {
		kind, what = "lost-permit", fmt.Sprintf("%d of the %d permits of %s", n, last.inv.Capacity, l.name)
	}
	r.found.add(kind, from, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: e.at, Ops: ops(w...),
			Sentence: fmt.Sprintf("%s %s %s at %s although %s, and from %s on nobody else can have had it and no fault was in place: %s the %s within which it must be free and %s of slack%s",
				who(last.client), e.how(), what, at(e.at), since, at(e.from), e.clause(), dur(int64(r.run.o.FreeWithin)), dur(r.run.o.slack()), passed),
		}
	})
}

// unknownEnds are the times in which calls of unknown outcome may have had the
// lock untold: for as long as a grant takes to be told, before their ends.
func (r *deadlock) unknownEnds(l *lockView, from, to int64) (killed, open []cut) {
	for _, w := range l.waits {
		if w.call >= to {
			break
		}
		if !w.unknown() || w.end <= from || w.end-r.run.o.toldBy() >= to {
			continue
		}
		c := cut{window{max(w.call, w.end-r.run.o.toldBy()), w.end}, w}
		if w.dead {
			killed = append(killed, c)
		} else {
			open = append(open, c)
		}
	}
	return killed, open
}
