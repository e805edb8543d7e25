package rule

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/timeline"
)

// waited returns the part of a wait in which the latch was open, and the factor on the limit
// that this part may last. Nobody passes a closed latch, so the time begins when it was open
// for certain, or at a later call.
func (r *Latches) waited(l *latch, w timeline.LatchCall) (from, to, times int64) {
	return max(w.Inv.Time, l.open), r.run.LatchEnd(w), 1
}

// neverOpen finds waits for an open latch that lasted, without a fault, longer than they may:
// two such waits for one latch, or one that took twice as long. A single late wait may have
// been slow itself, so it is kept until there is another.
func (r *Latches) neverOpen(l *latch) {
	// A single late wait is flagged only if it took twice the limit, or if another is late too.
	if len(l.late) == 1 && !l.told {
		from, to, _ := r.waited(l, l.late[0])
		if _, long := r.run.Stuck(from, to, timeline.Slow); !long {
			return
		}
	}
	for _, w := range l.late {
		r.addNeverOpen(l, w)
	}
	l.told, l.late = l.told || len(l.late) > 0, nil
}

func (r *Latches) addNeverOpen(l *latch, w timeline.LatchCall) {
	from, to, times := r.waited(l, w)
	stuck, _ := r.run.Stuck(from, to, times)
	r.found.Add("never-open", from, func() incident.Anomaly {
		how := "had not passed"
		if w.OK() {
			how = "passed only then"
		}
		return incident.Anomaly{
			Lock: l.name, Time: stuck.To, Ops: incident.Ops(w.Inv, w.Ret, l.proof),
			Sentence: fmt.Sprintf("%s waited for the latch %s from %s to %s and %s, although all %d parties had counted down by %s. This client waited %s without a fault; the limit is %s plus %s of slack",
				timeline.Who(r.run.Client(w.Inv)), l.name, timeline.At(w.Inv.Time), timeline.At(to), how, l.parties, timeline.At(l.open), timeline.Dur(stuck.To-stuck.From), timeline.Dur(int64(r.run.Options.FreeWithin)), timeline.Dur(r.run.Options.Slack())),
		}
	})
}
