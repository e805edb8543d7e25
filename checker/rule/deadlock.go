package rule

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// deadlock finds locks that nobody had and nobody could get. It looks at each time between the end
// of the last live holder and the next grant for the evidence that checker/rules.md asks for.
//
// Guarantee: a lock whose holder is gone is free again within FreeWithin. A stopped holder is
// alive. Time in which a fault was in place, no server answered a look, a call of unknown outcome may
// have been granted, or the machine stalled is taken out.
//
// The time before the first grant counts from the first entry of the history. Several kinds of
// evidence may find the same window; it is reported once.
type deadlock struct {
	base
	gone       int64           // the latest end of a holder so far
	lastHolder *timeline.Lease // the holder that was gone then; nil if there was none yet
	granted    int64           // when the latest grant returned
	served     served
	upgrades   upgradeDeadlock
}

func newDeadlock(b base) *deadlock {
	return &deadlock{base: b, gone: b.run.First, granted: b.run.First, served: served{}, upgrades: upgradeDeadlock{b}}
}

func (r *deadlock) check(p *timeline.Piece) {
	if r.run.Options.FreeWithin <= 0 {
		return
	}
	for _, g := range p.Fresh() {
		r.holderless(p.Lock, g, g.Granted())
		r.granted = g.Granted()
		r.served.serve(g)
		if h := r.lastHolder; h == nil || g.Gone > h.Gone {
			r.gone, r.lastHolder = max(r.gone, g.Gone), g
		}
	}
	if p.Last {
		r.holderless(p.Lock, nil, r.run.End)
	}
	r.upgrades.check(p)
}

// holderless judges the time from the end of the last holder to the return of the next grant; next
// is nil at the end of the history.
func (r *deadlock) holderless(l *timeline.Lock, next *timeline.Lease, until int64) {
	gone := r.gone
	// A time without a holder that is no longer than this breaks no promise.
	if gone >= until || until-gone <= r.run.Options.FreeBy() {
		return
	}
	sure := append(r.run.Disturbances(gone, until), r.run.Silent(gone, until)...)
	// The beginning of the next hold is not known: the service may have granted it long before the
	// answer arrived.
	if next != nil { // the hold may begin at its call, but not before another's return
		sure = append(sure, timeline.Cut{Window: timeline.Window{From: max(next.Inv.Time, r.granted), To: until}, By: next.Call})
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
	// What a killed client was granted may stay taken for FreeWithin after its death. So its cut is in
	// the windows of neverAnswered, too, which ignore the unknown outcomes of living clients.
	sure = append(sure, killed...)
	all := append(open, sure...)
	add(r.inVainTogether(l, timeline.Between(all, gone, until)))
	add(r.inVainAlone(all, timeline.Window{From: gone, To: until}))
	add(r.neverAnswered(l, timeline.Between(sure, gone, until)))
	// All evidence is collected before it is reported, so its order does not depend on the kind.
	slices.SortStableFunc(found, func(a, b evidence) int { return cmp.Compare(a.at, b.at) })
	for _, e := range found {
		r.report(l, e)
	}
}

// report adds an anomaly at the moment when there was enough evidence. Its witness is the call that
// completed the evidence, and the last holder.
func (r *deadlock) report(l *timeline.Lock, e evidence) {
	since := "nobody had ever held the lock"
	holder, last := r.lastHolder, e.last
	w := []*history.Op{last.Inv, last.Ret}
	from := e.From
	if holder != nil {
		since = fmt.Sprintf("the release of its last holder, %s with %s, had returned at %s", timeline.Who(holder.Client), holder.Name(), timeline.At(holder.Gone))
		if holder.Crash != nil && holder.Crash.Time == holder.Gone {
			since = fmt.Sprintf("its last holder, %s with %s, had been killed at %s", timeline.Who(holder.Client), holder.Name(), timeline.At(holder.Gone))
		}
		w = append(w, holder.Inv, holder.Ret, holder.RelCall, holder.RelRet, holder.Crash)
		from = holder.Gone
	}
	kind, what, passed := "deadlock", l.Name, r.whileOthers(last, r.run.Options.FreeBy())
	if last.Inv.Mode == history.Shared {
		what += " as a reader"
	}
	if n := last.Inv.Permits; n > 0 {
		kind, what = "lost-permit", fmt.Sprintf("%d of the %d permits of %s", n, last.Inv.Capacity, l.Name)
	}
	r.found.Add(kind, from, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: l.Name, Time: e.at, Ops: incident.Ops(w...),
			Sentence: fmt.Sprintf("%s %s %s at %s although %s. From %s on, nobody else can have had the lock, and no fault was in place. %s the %s within which the lock must be free, plus %s of slack%s",
				timeline.Who(last.Client), e.how(), what, timeline.At(e.at), since, timeline.At(e.From), e.clause(), timeline.Dur(int64(r.run.Options.FreeWithin)), timeline.Dur(r.run.Options.Slack()), passed),
		}
	})
}

// unknownEnds returns the times in which calls of unknown outcome may have had the lock
// without their clients knowing it: before the end of each call, for as long as the answer to
// a grant may take. killed has the calls whose process died, and open has all others.
func (r *deadlock) unknownEnds(l *timeline.Lock, from, to int64) (killed, open []timeline.Cut) {
	for _, w := range l.Kept {
		if w.Called >= to {
			break
		}
		if !w.Unknown() || w.End <= from || w.End-r.run.Options.ToldBy() >= to {
			continue
		}
		c := timeline.Cut{Window: timeline.Window{From: max(w.Called, w.End-r.run.Options.ToldBy()), To: w.End}, By: w}
		// The entry of the crash ends the call of a dead process (Call.End).
		if w.Dead {
			killed = append(killed, c)
		} else {
			open = append(open, c)
		}
	}
	return killed, open
}
