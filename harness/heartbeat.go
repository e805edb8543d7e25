package harness

import (
	"context"
	"time"

	"locktorture/history"
)

const (
	// beatEvery is how long the heartbeat sleeps at a time.
	beatEvery = 5 * time.Millisecond
	// stallsFrom is how much longer than it asked a sleep must last to be recorded. So
	// there are at most a hundred entries a second, and fewer the longer they are.
	stallsFrom = 5 * time.Millisecond
)

// A heartbeat is a client that has nothing to do but to sleep, and records how much longer
// than it asked the machine let it: what a checker may not blame on a lock.
//
// It is a goroutine of the harness, because every entry of the history is stamped by one: it
// sees what the kernel's scheduler, Go's, and the garbage collector cost here. A process of
// its own, as the drivers are, was tried beside it and has fewer and shorter stalls. That
// would not show what befalls another driver either: beside two busy loops on two cores 12 of
// 35 stalls of one process fell in times in which the other had none, because each waits for
// its own core. So the checker allows for the like elsewhere of what is seen here.
type heartbeat struct {
	now    func() int64 // the clock of the history, ns
	sleep  func(context.Context, time.Duration)
	record func(history.Op) history.Op
}

// beat sleeps and records until ctx ends.
func (h heartbeat) beat(ctx context.Context) {
	for last := h.now(); ; { // counted from one awakening to the next: nothing falls in between
		h.sleep(ctx, beatEvery)
		if ctx.Err() != nil {
			return // a sleep cut short tells nothing, and what comes now is judged no more
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
