package rule

import (
	"fmt"
	"math"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/internal/wire"
	"locktorture/timeline"
)

// orphan finds locks that a server keeps for a client that no longer believes that it holds them:
// the client has released the lock, or was refused, or timed out before its request reached the
// server. The server must be seen to keep such a lock for longer than a retry interval, in which
// a client may still clean up.
//
// Guarantee: a server keeps a lock only for a client that can still believe that it holds it. Only
// looks at the servers can show a breach, and not while a fail-over or a restart may have left copies
// on servers that no longer count.
type orphan struct {
	base
	elected leftover // the same rule for elections, by what observers saw
}

func newOrphan(b base) *orphan { return &orphan{b, leftover{b}} }

func (r *orphan) check(p *timeline.Piece) {
	l := p.Lock
	for _, t := range p.Tenures {
		if t.Owner == "" {
			continue
		}
		ended, why, until := r.abandoned(l, t)
		if ended == nil {
			continue
		}
		first, last := sightsBetween(t, ended.Time, until)
		if first == nil || r.run.Copies(first.Time, last.Time) {
			continue
		}
		// The lock was there when the last look began, at the earliest.
		if asked := last.Time - timeline.LateBy(last); asked > ended.Time && asked-first.Time > r.run.Options.Patience() {
			r.report(l, ended, why, first, last)
		}
	}
	r.elected.check(p)
}

// sightsBetween returns the first and the last sight of a tenure strictly between two moments; nil
// if there is none.
func sightsBetween(t *timeline.Tenure, after, before int64) (first, last *history.Op) {
	for _, s := range t.Sights {
		if s.Time > after && s.Time < before {
			if first == nil {
				first = s
			}
			last = s
		}
	}
	return first, last
}

// abandoned returns the entry with which the owner of a tenure gave up the lock, says how, and
// until when the owner's name proves that. ended is nil if it is not certain that the owner
// gave the lock up.
func (r *orphan) abandoned(l *timeline.Lock, t *timeline.Tenure) (ended *history.Op, why string, until int64) {
	g, reused := t.Opener, t.Reused
	if g == nil {
		g, reused = r.run.OwnerAt(l, t.Owner, t.From)
	}
	if g != nil {
		if g.RelRet == nil || g.RelRet.Type == history.Info || g.GaveUp() {
			return nil, "", 0
		}
		return g.RelRet, "released the lock (" + g.Name() + ")", timeline.NextCall(g, reused)
	}
	w, rival := r.origin(l, t)
	switch {
	case w == nil || w.Ret == nil || w.Dead:
		return nil, "", 0
	// An acquire of unknown outcome may have been granted after its client had stopped waiting.
	case rival != nil && (rival.Dead || !landedAfter(l, t, rival.End)):
		return nil, "", 0 // the rival may have the lock without knowing it
	case w.Refused():
		return w.Ret, "was refused the lock", math.MaxInt64
	case w.Ret.Type == history.Info && !r.run.Options.Scripted && r.run.Explained(w.Client, w.Called, t.From):
		return nil, "", 0 // it may have got the lock, and a fault may have kept its request back
	case w.Ret.Type == history.Info && landedAfter(l, t, w.End):
		return w.Ret, "timed out waiting for the lock, and its request arrived only later", math.MaxInt64
	}
	return nil, "", 0
}

// origin finds the call that took the lock under a name that no grant has. last is the last
// call that the client made before the owner was first seen. rival is a call of unknown
// outcome before that one. Judging the last call is enough, because whatever excuses an
// earlier call excuses it too. If the last call was granted under another name, the refused
// call before it is taken instead, but only if the owner was seen soon after the refusal. A
// request that landed later may be an attempt of either call.
func (r *orphan) origin(l *timeline.Lock, t *timeline.Tenure) (last, rival *timeline.Call) {
	p, ok := wire.OwnerProcess(t.Owner)
	if !ok {
		return nil, nil
	}
	client, calls := r.run.Client(&history.Op{Process: p}), t.Calls
	if w := calls[0]; w != nil && r.otherName(t, w) {
		before := calls[1]
		if before == nil || !before.Refused() || landedAfter(l, t, before.End) {
			return nil, nil
		}
		calls[0] = nil
	}
	for _, w := range calls {
		switch {
		case w == nil || w.Called >= t.From || !r.run.SameLife(client, p, w.Process):
		case last == nil:
			last = w
		case w.Unknown():
			return last, w
		}
	}
	return last, nil
}

// otherName reports whether a call was granted under another name than a tenure's, and no
// fault can have made its client ask twice, under two names.
func (r *orphan) otherName(t *timeline.Tenure, w *timeline.Call) bool {
	return w.Lease != nil && w.Lease.Owner != "" && w.Lease.Owner != t.Owner && !r.run.Explained(w.Client, w.Called, t.From)
}

// landedAfter reports whether the server was seen without this owner after the
// client had given up, and before the owner was there.
func landedAfter(l *timeline.Lock, t *timeline.Tenure, gaveUp int64) bool {
	return slices.ContainsFunc(l.Sights.Probes, func(p *history.Op) bool {
		return timeline.AskedAt(p) > gaveUp && p.Time < t.From && p.Owner() != t.Owner
	})
}

func (r *orphan) report(l *timeline.Lock, ended *history.Op, why string, first, last *history.Op) {
	r.found.Add("orphan", ended.Time, func() incident.Anomaly {
		until := ""
		if last.Expiry() != 0 && last.Expiry() != history.Never {
			until = ", and keeps it until " + timeline.At(last.Expiry()) + " if nobody renews it"
		}
		return incident.Anomaly{
			Lock: l.Name, Time: last.Time, Ops: incident.Ops(ended, first, last),
			Sentence: fmt.Sprintf("%[2]s kept %[1]s in the name of %[3]s (%[4]s) from %[5]s to at least %[6]s%[7]s, although at %[9]s this client %[8]s",
				l.Name, last.Node, timeline.Who(r.run.Client(ended)), last.Owner(), timeline.At(first.Time), timeline.At(last.Time), until, why, timeline.At(ended.Time)),
		}
	})
}
