package locktest

import (
	"context"
	"time"
)

const (
	// tries limits how often a check is made.
	tries = 4
	// stall is about the shortest time in which a check expects an answer.
	stall = 50 * time.Millisecond
	// tick is the interval at which the machine is watched.
	tick = 5 * time.Millisecond
)

// again makes a check until it passes, or fails while the machine did not stall. A machine that is
// too busy to run this program in time keeps clients and servers waiting as well: leases run out
// during a check, and prompt answers are late. A failure then shows nothing about the lock, but a
// lock with a defect fails each time.
func again(ctx context.Context, watch func() (worst func() time.Duration), check func() error) error {
	for n := 1; ; n++ {
		worst := watch()
		err := check()
		if late := worst(); err == nil || late < stall || n == tries || ctx.Err() != nil {
			return err
		}
	}
}

// stalls watches the machine until the caller calls the returned function, which returns the
// longest time by which a goroutine ran too late.
func stalls() func() time.Duration {
	stop, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		var worst time.Duration
		for {
			begun := time.Now()
			select {
			case <-stop:
				longest <- worst
				return
			case <-time.After(tick):
				worst = max(worst, time.Since(begun)-tick)
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-longest
	}
}
