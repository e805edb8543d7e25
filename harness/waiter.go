package harness

import (
	"context"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
)

// waitsSurely is the age at which an acquire counts as waiting: by then the request has reached the
// service.
const waitsSurely = 5 * time.Millisecond

// lookForWaiters is the interval at which a fault checks whether its target is waiting.
const lookForWaiters = 2 * time.Millisecond

// A wait is an acquire in progress, or a wait for a latch.
type wait struct {
	lock  string
	since time.Time
}

// MeetWaiting implements nemesis.Client.
func (t *target) MeetWaiting(ctx context.Context, bound time.Duration) (string, func(), error) {
	for end := time.Now().Add(bound); ; sleep(ctx, lookForWaiters) {
		if where, letGo := t.keepWaiting(); letGo != nil {
			return where, letGo, nil
		}
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		if !time.Now().Before(end) {
			return "", nil, fmt.Errorf("%w: c%d did not wait within %v", nemesis.ErrNotStruck, t.life.client, bound)
		}
	}
}

// keepWaiting shuts the gate of a waiting client, so that the client does not receive its answer
// before the call of letGo. letGo is nil if the client does not wait.
func (t *target) keepWaiting() (where string, letGo func()) {
	t.life.mu.Lock()
	defer t.life.mu.Unlock()
	w := t.waiting
	if !t.life.alive || w == nil || time.Since(w.since) < waitsSurely || !t.life.run.occupied(w.lock, t.life.client) {
		return "", nil
	}
	return t.where(""), t.gate.shutNow()
}

// waits marks the client as waiting if the function f waits.
func (t *target) waits(f history.F, lock string) *wait {
	if f == history.Try {
		return nil
	}
	t.life.mu.Lock()
	defer t.life.mu.Unlock()
	t.waiting = &wait{lock: lock, since: time.Now()}
	return t.waiting
}

// hears ends a wait when its answer arrives. A paused client receives the answer when its pause
// ends.
func (t *target) hears(w *wait) {
	for w != nil {
		t.life.mu.Lock()
		shut := t.gate.isShut()
		if shut == nil && t.waiting == w {
			t.waiting = nil
		}
		t.life.mu.Unlock()
		if shut == nil {
			return
		}
		<-shut
	}
}

// occupied reports whether another client holds the lock. It is always true for latches and
// barriers, where clients wait although no client holds a lease.
func (r *Run) occupied(lock string, client int) bool {
	kind := r.cfg.Traits.Kind
	return kind == locks.CountDownLatch || kind == locks.DoubleBarrier || r.holdings.another(lock, client)
}
