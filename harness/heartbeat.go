package harness

import (
	"context"
	"time"

	"locktorture/history"
)

const (
	// beatEvery is the length of one sleep of the heartbeat.
	beatEvery = 5 * time.Millisecond
	// stallsFrom is the least recorded oversleep. It limits the heartbeat to a hundred entries per
	// second.
	stallsFrom = 5 * time.Millisecond
)

// A heartbeat sleeps in a loop and records how much longer than requested each sleep took. Checkers
// subtract these stalls of the machine before they blame a lock for a delay.
//
// The heartbeat is a goroutine of the harness, because the harness stamps every entry: it is
// delayed by the kernel's scheduler, Go's scheduler and the garbage collector of the same process.
// A heartbeat in a process of its own was tried and saw fewer and shorter stalls. It would not show
// the stalls of another driver either: with two busy loops on two cores, 12 of 35 stalls of one
// process fell into times without a stall of the other, because each waits for its own core. So the
// checker assumes that stalls elsewhere were as long as the recorded ones.
type heartbeat struct {
	now    func() int64 // the clock of the history, ns
	sleep  func(context.Context, time.Duration)
	record func(history.Op) history.Op
}

// beat sleeps and records until ctx ends.
func (h heartbeat) beat(ctx context.Context) {
	for last := h.now(); ; { // counted between wake-ups, so that no stall falls in a gap
		h.sleep(ctx, beatEvery)
		if ctx.Err() != nil {
			return // an interrupted sleep measures nothing, and later entries are not judged
		}
		due := last + int64(beatEvery)
		if last = h.now(); last-due >= int64(stallsFrom) {
			op := history.Op{Process: history.Harness, Type: history.Info, F: history.Stall}
			op.SetBegan(due)
			h.record(op)
		}
	}
}

// heartbeat records the stalls of the machine until ctx ends, and prolongs the tail by them.
func (r *Run) heartbeat(ctx context.Context) {
	if r.cfg.NoStalls {
		return
	}
	record := func(op history.Op) history.Op {
		op = r.record(op)
		due, _ := op.Began()
		r.tail.prolong(time.Duration(op.Time - due))
		return op
	}
	heartbeat{now: r.cfg.Now, sleep: sleep, record: record}.beat(ctx)
}
