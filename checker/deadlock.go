package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"locktorture/history"
)

// freeSlack is what may come on top of FreeWithin: a request, the server's own
// pace, and schedulers that let a waiter wait. On a busy machine with two cores
// it was up to 0.19 s.
const freeSlack = 250 * time.Millisecond

// doubted is how many times freeBy a lock may be asked for in vain while every
// answer leaves open whether it was granted. One such grant may go astray, and
// the lock is kept for FreeWithin; two in a row may; more is no accident.
const doubted = 3

// slack is what may come on top of FreeWithin, in ns.
func (o Options) slack() int64 { return int64(max(freeSlack, o.FreeWithin/10)) }

// freeBy is the time in ns after which a lock that is not free is a violation.
func (o Options) freeBy() int64 { return int64(o.FreeWithin) + o.slack() }

// limit is that time in a window, up to a moment and so long after it: what the machine itself
// kept everybody waiting in it does not count.
func (s *survey) limit(win window, after int64) func(at int64) int64 {
	return func(at int64) int64 { return s.o.freeBy() + s.stalled(win.from, at+after) }
}

// toldBy is the time in ns within which a grant is told to a client that waits.
func (o Options) toldBy() int64 { return o.slack() + int64(o.Retry) }

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

// disturbances are the faults that were in place at some time from…to.
func (s *survey) disturbances(from, to int64) []cut {
	var cuts []cut
	for _, f := range s.faults {
		if !f.moment() && f.to > from && f.from < to {
			cuts = append(cuts, cut{window{f.from, f.to}, nil})
		}
	}
	for _, w := range s.prepared {
		if w.to > from && w.from < to {
			cuts = append(cuts, cut{w, nil})
		}
	}
	return cuts
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

// Tail is how long clients must wait for a lock, with nobody giving up, no fault
// in place and no call that just ended with an unknown outcome, so that a lock
// that is dead shows it; and a second for everything else.
func (o Options) Tail() time.Duration {
	o = o.bounded()
	return time.Duration(slow*o.freeBy()+2*o.toldBy()) + time.Second
}

// LongestTail is how long they must ask for it if every answer leaves open
// whether it was granted.
func (o Options) LongestTail() time.Duration {
	o = o.bounded()
	return time.Duration(doubted*(o.freeBy()+int64(o.Retry))) + o.Tail()
}
