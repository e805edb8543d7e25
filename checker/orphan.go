package checker

import (
	"fmt"
	"math"
	"slices"

	"locktorture/history"
	"locktorture/internal/wire"
)

// orphan finds locks that a server keeps in the name of a client that has released the lock, was
// refused it, or had given up before its request landed, for longer than a retry interval. Only
// looks at the servers can show that, and not while a fail-over or a restart may have left
// copies on servers that no longer count.
type orphan struct{ base }

func (r *orphan) check(p *piece) {
	l := p.lockView
	for _, t := range p.tenures {
		if t.owner == "" {
			continue
		}
		ended, why, until := r.abandoned(l, t)
		if ended == nil {
			continue
		}
		first, last := sightsBetween(t, ended.Time, until)
		if first != nil && last.Time-lateBy(last) > ended.Time && last.Time-first.Time > r.run.o.patience() && !r.run.copies(first.Time, last.Time) {
			r.report(l, ended, why, first, last)
		}
	}
}

func sightsBetween(t *tenure, after, before int64) (first, last *history.Op) {
	for _, s := range t.sights {
		if s.Time > after && s.Time < before {
			if first == nil {
				first = s
			}
			last = s
		}
	}
	return first, last
}

// abandoned returns the entry with which the owner of a tenure gave up the
// lock, says how, and until when its name proves that; nil if it did not for
// certain.
func (r *orphan) abandoned(l *lockView, t *tenure) (ended *history.Op, why string, until int64) {
	g, reused := t.opener, t.reused
	if g == nil {
		g, reused = r.run.ownerAt(l, t.owner, t.from)
	}
	if g != nil {
		if g.relRet == nil || g.relRet.Type == history.Info || g.gaveUp() {
			return nil, "", 0
		}
		return g.relRet, "released it (" + g.name() + ")", nextCall(g, reused)
	}
	w, rival := r.origin(l, t)
	switch {
	case w == nil || w.ret == nil || w.dead:
		return nil, "", 0
	case rival != nil && (rival.dead || !landedAfter(l, t, rival.end)):
		return nil, "", 0 // that one may have it, and nobody knew
	case w.refused():
		return w.ret, "was refused it", math.MaxInt64
	case w.ret.Type == history.Info && !r.run.o.Scripted && r.run.explained(w.client, w.call, t.from):
		return nil, "", 0 // it does not say that it got nothing, and a fault kept its request back
	case w.ret.Type == history.Info && landedAfter(l, t, w.end):
		return w.ret, "gave up waiting for it, and it landed later", math.MaxInt64
	}
	return nil, "", 0
}

// origin finds the call that took the lock in a name that no grant has: the client's
// last one that was made before the owner was first seen, or one of unknown outcome
// before that: the latest will do, for what excuses an earlier one excuses it too.
// A call that was granted under another name leaves it to the refused one before it, if
// the owner was seen soon after the refusal: what landed later may be an attempt of either.
func (r *orphan) origin(l *lockView, t *tenure) (last, rival *wait) {
	p, ok := wire.OwnerProcess(t.owner)
	if !ok {
		return nil, nil
	}
	client, calls := r.run.client(&history.Op{Process: p}), t.calls
	if w := calls[0]; w != nil && r.otherName(t, w) {
		before := calls[1]
		if before == nil || !before.refused() || landedAfter(l, t, before.end) {
			return nil, nil
		}
		calls[0] = nil
	}
	for _, w := range calls {
		switch {
		case w == nil || w.call >= t.from || !r.run.sameLife(client, p, w.process):
		case last == nil:
			last = w
		case w.unknown():
			return last, w
		}
	}
	return last, nil
}

// otherName reports whether a call was granted under another name than a tenure's, and that no
// fault can have made its client ask twice, under two names.
func (r *orphan) otherName(t *tenure, w *wait) bool {
	return w.lease != nil && w.lease.owner != "" && w.lease.owner != t.owner && !r.run.explained(w.client, w.call, t.from)
}

// landedAfter reports whether the server was seen without this owner after the
// client had given up, and before the owner was there.
func landedAfter(l *lockView, t *tenure, gaveUp int64) bool {
	return slices.ContainsFunc(l.sights.probes, func(p *history.Op) bool {
		return askedAt(p) > gaveUp && p.Time < t.from && p.Owner() != t.owner
	})
}

func (r *orphan) report(l *lockView, ended *history.Op, why string, first, last *history.Op) {
	r.found.add("orphan", ended.Time, func() Anomaly {
		until := ""
		if last.Expiry() != 0 && last.Expiry() != history.Never {
			until = ", until " + at(last.Expiry()) + " if nobody renews it"
		}
		return Anomaly{
			Lock: l.name, Time: last.Time, Ops: ops(ended, first, last),
			Sentence: fmt.Sprintf("%s was taken on %s in the name of %s (%s) from %s to %s at least%s, although that client %s at %s",
				l.name, last.Node, who(r.run.client(ended)), last.Owner(), at(first.Time), at(last.Time), until, why, at(ended.Time)),
		}
	})
}
