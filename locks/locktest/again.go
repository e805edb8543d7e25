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

// again makes a check until it passes, or fails while the machine did not stall and the servers
// answered. A machine that is too busy to run this program in time keeps clients and servers
// waiting as well: leases run out during a check, prompt answers are late, and an ensemble may
// lose its leader. A failure then shows nothing about the lock, but a lock with a defect fails
// each time.
func again(ctx context.Context, watch func() (worst func() time.Duration), away func() bool, check func() error) error {
	for n := 1; ; n++ {
		worst := watch()
		err := check()
		if late := worst(); err == nil || n == tries || ctx.Err() != nil || late < stall && !away() {
			return err
		}
	}
}

// away reports whether a quorum of the servers did not answer a look. It waits until a quorum
// answers.
func (s Suite) away(ctx context.Context) bool {
	if s.Prober == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit())
	defer cancel()
	for missed := false; ; missed = true {
		look, end := context.WithTimeout(ctx, time.Second)
		sights, err := s.Prober.Probe(look, "locktest-away")
		end()
		if err == nil && len(sights) >= max(s.Quorum, 1) || ctx.Err() != nil {
			return missed
		}
		time.Sleep(tick)
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
