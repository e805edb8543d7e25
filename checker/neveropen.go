package checker

import "fmt"

// waited is the time in which a wait was for a latch that was open.
func (r *latches) waited(l *latch, w latchCall) (from, to, times int64) {
	return max(w.inv.Time, l.open), r.run.latchEnd(w), 1
}

// neverOpen finds waits for a latch that was open, without a fault for longer than it may
// take: two of one latch, or one that took twice as long. It keeps one that may have been slow
// itself until there is another.
func (r *latches) neverOpen(l *latch) {
	if len(l.late) == 1 && !l.told {
		from, to, _ := r.waited(l, l.late[0])
		if _, long := r.run.stuck(from, to, slow); !long {
			return
		}
	}
	for _, w := range l.late {
		r.addNeverOpen(l, w)
	}
	l.told, l.late = l.told || len(l.late) > 0, nil
}

func (r *latches) addNeverOpen(l *latch, w latchCall) {
	from, to, times := r.waited(l, w)
	stuck, _ := r.run.stuck(from, to, times)
	r.found.add("never-open", from, func() Anomaly {
		how := "had not passed"
		if w.ok() {
			how = "passed only then"
		}
		return Anomaly{
			Lock: l.name, Time: stuck.to, Ops: ops(w.inv, w.ret, l.proof),
			Sentence: fmt.Sprintf("%s waited for the latch %s from %s to %s and %s, although all %d parties had been counted down at %s: without a fault for %s, longer than the %s within which it must open and %s of slack",
				who(r.run.client(w.inv)), l.name, at(w.inv.Time), at(to), how, l.parties, at(l.open), dur(stuck.to-stuck.from), dur(int64(r.run.o.FreeWithin)), dur(r.run.o.slack())),
		}
	})
}
