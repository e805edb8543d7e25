package scenarios

import (
	"context"
	"fmt"
	"time"

	"locktorture/internal/rediscmd"
)

// A Queue is the queue of the clients that hold the lock of a script or wait for it.
type Queue struct{ stage *Stage }

// untilWaiting waits until at least n clients are in the queue, and its head is not but.
func (q Queue) untilWaiting(n int, but string) {
	s := q.stage
	if s.Servers.cluster.HasLeader() {
		q.UntilLength(n + 1) // the holder is in it, too
		return
	}
	s.Until(fmt.Sprintf("%d clients wait", n), 4*s.TTL, func(ctx context.Context) (bool, error) {
		queue, err := q.waiters(ctx)
		return len(queue) >= n && queue[0] != but, err
	})
}

// head returns the owner value of the first waiter of a fair lock on Redis, and "" for other
// locks.
func (q Queue) head() string {
	head := ""
	if s := q.stage; !s.Servers.cluster.HasLeader() {
		s.step("look at the queue", func(ctx context.Context) error {
			queue, err := q.waiters(ctx)
			if len(queue) > 0 {
				head = queue[0]
			}
			return err
		})
	}
	return head
}

// waiters returns the owner values of the waiters of a fair lock on Redis.
func (q Queue) waiters(ctx context.Context) (queue []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err = q.stage.Servers.onRedis(ctx, 0, func(c rediscmd.Client) error {
		queue, err = c.LRange(ctx, "queue:"+q.stage.Lock, 0, -1).Result()
		return err
	})
	return queue, err
}
