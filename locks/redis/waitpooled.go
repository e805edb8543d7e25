package redis

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// NewWaitPooled returns a Wait that sends its WAIT over another connection of the pool,
// as `client.Set(…)` and `client.Wait(…)` do as soon as a program has several requests
// under way.
//
// WAIT counts the replicas that have what there was to have when its own connection was last
// used: that was before this SET, so that replicas which have never heard of it count, and the
// refused grants are the ones that follow a lost one. It does not promise that any replica has
// the grant. Nor what Set does not.
func NewWaitPooled(cfg Config) *Wait {
	w := NewWait(cfg)
	w.acknowledged = func(ctx context.Context, _ *goredis.Conn, patience time.Duration) (int64, error) {
		return w.client.Wait(ctx, waitReplicas, patience).Result()
	}
	return w
}
