package scenarios

import (
	"context"
	"time"
)

// calm is the length of one sleep during a calm wait, and beat the longest time of such a sleep on
// a machine that lets it run.
const calm, beat = 5 * time.Millisecond, 10 * time.Millisecond

// freeWait returns how long a client waits for a lock that must be free: long enough to prove a
// deadlock if the outcome of the wait is unknown, which takes twice FreeWithin and the slack, and if
// the servers answer no look for a part of the time.
func (s *Stage) freeWait() time.Duration { return s.FreeWithin * 5 / 2 }

// calmly returns a context that ends after this program was able to run for d, see Pending.Calmly.
func (s *Stage) calmly(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(s.ctx)
	go func() {
		defer cancel()
		for ran := time.Duration(0); ran < d && ctx.Err() == nil; {
			begun := time.Now()
			time.Sleep(calm)
			if took := time.Since(begun); took < beat {
				ran += took
			}
		}
	}()
	return ctx, cancel
}

// Calmly is like Within, but does not count the time for which the machine kept this program from
// running. The checks for a dead lock do not count it either.
func (p *Pending) Calmly(d time.Duration) {
	for ran := time.Duration(0); ran < d && p != nil && !p.Answered() && !p.client.stage.over(); {
		begun := time.Now()
		p.Within(calm)
		if took := time.Since(begun); took < beat {
			ran += took
		}
	}
}
