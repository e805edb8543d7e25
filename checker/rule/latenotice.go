package rule

import (
	"fmt"
	"math"

	"locktorture/checker/incident"
	"locktorture/timeline"
)

// lateNotice finds holders of watched leases without a declared validity that learnt too late that
// the lock had been granted to another.
//
// Guarantee: such a lock promises no time, but it promises to notify a holder of its loss.
// What a notice takes on this machine, and the time for which the holder was stopped, do not
// count; the fold has taken them off (Lease.Lag).
type lateNotice struct{ base }

func (r *lateNotice) check(p *timeline.Piece) {
	if !r.run.Options.OnlyWatched() {
		return
	}
	for _, g := range p.Fresh() {
		// Lag is 0 where nobody else was granted the lock, and where the notice was in time.
		if g.Lag > 0 {
			r.report(g)
		}
	}
}

func (r *lateNotice) report(g *timeline.Lease) {
	r.found.Add("late-notice", g.Inv.Time, func() incident.Anomaly {
		told := "learned of its loss only at " + timeline.At(g.Told)
		switch {
		case g.Told == math.MaxInt64:
			told = "had not learned of its loss when the history ended at " + timeline.At(r.run.End)
		case g.Crash != nil && g.Told == g.Killed:
			told = "had not learned of its loss when it was killed at " + timeline.At(g.Told)
		case g.RelCall != nil && g.Told == g.RelCall.Time:
			told = "had not learned of its loss when it released the lock at " + timeline.At(g.Told)
		}
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: min(g.Told, r.run.End),
			Ops: incident.Ops(g.Inv, g.Ret, g.Next.Inv, g.Next.Ret, g.Lost, g.Over, g.RelCall, g.Crash),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s), but %s, who had held %s since %s, %s. That was %s late, not counting pauses of the holder, stalls of the machine, a round trip of %s, and up to %s for which this machine may keep processes waiting",
				timeline.Who(g.Next.Client), g.Lock.Name, timeline.At(g.Next.Granted()), g.Next.Name(), timeline.Who(g.Client), g.Name(), timeline.At(g.Granted()), told,
				timeline.Dur(g.Lag), timeline.Dur(r.run.UsualTrip), timeline.Dur(r.run.NoticeTakes(max(g.Next.Granted(), g.Granted()), min(g.Told, r.run.End))-r.run.UsualTrip)),
		}
	})
}
