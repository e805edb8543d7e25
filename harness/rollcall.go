package harness

import (
	"context"
	"time"

	"locktorture/locks"
)

// rollCall repeats every unserved request, one after the other, the oldest first. All faults are
// healed then, and no other client requests or holds a lock, so even an unfair lock must grant
// these requests. It shows locks that are dead only for readers, for requests of two permits, or
// for one client. Once a request has failed, further requests for the same lock are skipped.
func (r *Run) rollCall(ctx context.Context) {
	if r.cfg.FreeWithin <= 0 || r.cfg.Traits.Kind == locks.DoubleBarrier {
		return
	}
	list := r.demand.calls()
	r.tail.start()
	dead := map[string]bool{}
	for end := time.Now().Add(r.cfg.LongestTail); len(list) > 0 && time.Now().Before(end) && ctx.Err() == nil; list = list[1:] {
		a := list[0]
		if dead[a.lock] {
			continue
		}
		granted, err := r.letAsk(ctx, a)
		if err != nil && ctx.Err() == nil {
			r.Fail(err)
			return
		}
		dead[a.lock] = !granted
	}
}

// letAsk repeats a request until it is granted or LongestTail has passed.
func (r *Run) letAsk(ctx context.Context, a ask) (granted bool, err error) {
	c := r.clients[a.client-1]
	r.tail.renew()
	longest, cancel := context.WithTimeout(ctx, r.cfg.LongestTail)
	defer cancel()
	for longest.Err() == nil {
		if err := c.life.revive(ctx); err != nil {
			return false, err
		}
		wait, cancel := context.WithTimeout(longest, r.cfg.Tail)
		h, err := c.acquire(wait, a.lock, false, a.claim(c))
		waited := wait.Err() != nil
		cancel()
		if err == nil {
			return true, c.counted(h.release(ctx))
		}
		if err := c.counted(err); err != nil || waited {
			return false, err
		}
		sleep(longest, unknownPause) // the lock refused or failed before the time was over
	}
	return false, nil
}
