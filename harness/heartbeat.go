package harness

import (
	"context"
	"time"

	"locktorture/history"
)

const (
	// beatEvery is how long the heartbeat sleeps at a time.
	beatEvery = 5 * time.Millisecond
	// stallsFrom is the least oversleep that is recorded. It limits the records to a hundred
	// per second, and to fewer if the stalls are longer.
	stallsFrom = 5 * time.Millisecond
)

// A heartbeat sleeps in a loop and records how much longer than requested each sleep took. A
// checker may not blame a lock for such stalls of the machine.
//
// The heartbeat is a goroutine of the harness, because the harness stamps every entry of the
// history: it feels the kernel's scheduler, Go's scheduler and the garbage collector of this
// process. A heartbeat in a process of its own, like the drivers, was tried and had fewer and
// shorter stalls. It would not show the stalls of another driver either: with two busy loops on
// two cores, 12 of 35 stalls of one process fell into times without a stall of the other,
// because each waits for its own core. So the checker allows for stalls elsewhere as long as
// those seen here.
type heartbeat struct {
	now    func() int64 // the clock of the history, ns
	sleep  func(context.Context, time.Duration)
	record func(history.Op) history.Op
}

// beat sleeps and records until ctx ends.
func (h heartbeat) beat(ctx context.Context) {
	for last := h.now(); ; { // counted from one wake-up to the next, so that no stall falls in between
		h.sleep(ctx, beatEvery)
		if ctx.Err() != nil {
			return // a sleep that was cut short measures nothing, and later entries are not judged
		}
		due := last + int64(beatEvery)
		if last = h.now(); last-due >= int64(stallsFrom) {
			op := history.Op{Process: history.Harness, Type: history.Info, F: history.Stall}
			op.SetBegan(due)
			h.record(op)
		}
	}
}

// heartbeat watches the machine until ctx ends.
func (r *Run) heartbeat(ctx context.Context) {
	if r.cfg.NoStalls {
		return
	}
	record := func(op history.Op) history.Op {
		op = r.record(op)
		due, _ := op.Began()
		r.prolong(time.Duration(op.Time - due))
		return op
	}
	heartbeat{now: r.cfg.Now, sleep: sleep, record: record}.beat(ctx)
}
