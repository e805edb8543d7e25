package rule

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// A barrierTurn is a moment at which somebody began or finished something at a barrier. A
// party that calls to leave is no longer inside, because it keeps nobody from leaving. Its
// call is counted as leaving until the barrier answers.
type barrierTurn struct {
	at                      int64
	coming, inside, leaving int // one more, or one less
	// moved says that the barrier answered, or that a party died. Either restarts the clock: the
	// barrier has shown that it works, or has something new to notice.
	moved bool
	by    *history.Op // the call that begins
}

// standstill finds times in which a barrier stood still: nobody was inside, and either all
// parties had come or somebody wanted to leave, but nobody was let in or out.
//
// Guarantee: a barrier lets all parties in, and out, within FreeWithin. A time begins anew with
// each answer and each death: a party that is gone counts until its session is over.
//
// Only time without a fault counts, and it must exceed FreeWithin, its slack and the stalls of the
// harness (Run.Stuck). Where a single call waits the limit is doubled, because that call may have
// been slow itself. The history of a barrier is one piece: a party that entered long ago may still
// be inside.
type standstill struct{ base }

func (r *standstill) check(p *timeline.Piece) {
	l := p.Lock
	// The largest number of parties that an entry named accuses the barrier least.
	parties := 0
	for _, w := range l.Kept {
		parties = max(parties, w.Inv.Parties)
	}
	var coming, inside, leaving int
	from, stands := int64(0), false
	// The calls under way. Their number decides on the limit.
	calls := map[*history.Op]bool{}
	for _, t := range r.barrierTurns(l) {
		// The order of turns with one stamp is unknown, so a state that lasts no time shows nothing.
		if stands && t.at > from {
			if t.moved || !stood(coming+t.coming, inside+t.inside, leaving+t.leaving, parties) {
				r.report(l, from, t.at, calls)
				from = t.at
			}
		}
		coming, inside, leaving = coming+t.coming, inside+t.inside, leaving+t.leaving
		if t.coming+t.leaving > 0 {
			calls[t.by] = true
		} else if t.by != nil {
			delete(calls, t.by)
		}
		now := stood(coming, inside, leaving, parties)
		if now && !stands || t.moved {
			from = t.at
		}
		stands = now
	}
	if stands {
		r.report(l, from, r.run.End, calls)
	}
}

// stood reports whether parties wait although nobody is in their way.
// Whoever wants to leave waits for all who are inside to want it too, so with nobody inside only the
// barrier can be in the way.
func stood(coming, inside, leaving, parties int) bool {
	return inside == 0 && (leaving > 0 || coming >= parties)
}

// barrierTurns returns the moments of a barrier in order. What ends comes before what begins.
func (r *standstill) barrierTurns(l *timeline.Lock) (turns []barrierTurn) {
	for _, w := range l.Kept {
		// The guard of the client refused it, so nobody came to the barrier.
		if !w.Asked() {
			continue
		}
		turns = append(turns, barrierTurn{at: w.Called, coming: 1, by: w.Inv})
		// An unanswered call ends with its process. If that lives, the call is under way to the end.
		if w.Ret != nil || w.End < r.run.End {
			turns = append(turns, barrierTurn{at: w.End, coming: -1, by: w.Inv, moved: true})
			turns = append(turns, mayBeInside(r.run, w)...)
		}
	}
	for _, g := range l.Leases {
		turns = append(turns, barrierTurn{at: g.Granted(), inside: 1})
		switch { // a client that is stopped past its session is inside as long as it has not said otherwise
		case g.RelCall != nil:
			turns = append(turns, barrierTurn{at: g.RelCall.Time, inside: -1})
		case g.Crash != nil:
			turns = append(turns, barrierTurn{at: g.Crash.Time, inside: -1, moved: true})
		}
		if g.RelCall == nil {
			continue
		}
		turns = append(turns, barrierTurn{at: g.RelCall.Time, leaving: 1, by: g.RelCall})
		if g.Gone <= r.run.End && (g.RelRet != nil || g.Crash != nil) {
			turns = append(turns, barrierTurn{at: max(g.Gone, g.RelCall.Time), leaving: -1, by: g.RelCall, moved: true})
		}
	}
	slices.SortStableFunc(turns, func(a, b barrierTurn) int { return cmp.Compare(a.at, b.at) })
	return turns
}

// mayBeInside returns the stay of a party whose entry has an unknown outcome, such as one that the
// harness cancelled: it may have been let in, and its session goes on until its client is killed.
// A party that died while it waited is not counted as inside. Its death restarts the clock, and the
// barrier has FreeWithin to notice it.
func mayBeInside(v *timeline.Run, w *timeline.Call) []barrierTurn {
	if !w.Unknown() || w.Dead {
		return nil
	}
	turns := []barrierTurn{{at: w.End, inside: 1}}
	for _, crash := range v.Crashes {
		if crash.Time >= w.End && v.Client(crash) == w.Client {
			return append(turns, barrierTurn{at: crash.Time, inside: -1, moved: true})
		}
	}
	return turns
}

// report judges one time in which a barrier stood still.
func (r *standstill) report(l *timeline.Lock, from, to int64, calls map[*history.Op]bool) {
	times, limit := int64(1), "the"
	if len(calls) == 1 {
		times, limit = timeline.Slow, "twice the"
	}
	w, ok := r.run.Stuck(from, to, times)
	if !ok {
		return
	}
	r.found.Add("never-open", from, func() incident.Anomaly {
		var entries []*history.Op
		leaving := 0
		for op := range calls {
			entries = append(entries, op)
			if op.F == history.Release {
				leaving++
			}
		}
		slices.SortFunc(entries, func(a, b *history.Op) int {
			return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Process, b.Process))
		})
		return incident.Anomaly{
			Lock: l.Name, Time: w.To, Ops: incident.Ops(entries...),
			Sentence: fmt.Sprintf("from %[4]s to %[5]s, %[2]d of the clients waited to enter %[1]s and %[3]d waited to leave it. Nobody was inside, and nobody made progress. This lasted %[6]s without a fault: longer than %[7]s %[8]s within which somebody must make progress, plus %[9]s of slack",
				l.Name, len(entries)-leaving, leaving, timeline.At(from), timeline.At(to), timeline.Dur(w.To-w.From), limit, timeline.Dur(int64(r.run.Options.FreeWithin)), timeline.Dur(r.run.Options.Slack())),
		}
	})
}
