package redis

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// NewWaitPooled returns a Wait that sends its WAIT over another connection of the pool, as
// `client.Set(…)` and `client.Wait(…)` do once a program has several requests in progress.
//
// WAIT counts the replicas that have received the writes up to the last use of WAIT's own
// connection, and that use was before this SET. So replicas without the grant count too, and a
// refusal hits the grants that follow the lost one. It does not promise that any replica has
// the grant. All other promises of Set hold.
func NewWaitPooled(cfg Config) *Wait {
	w := NewWait(cfg)
	w.acknowledged = func(ctx context.Context, _ *goredis.Conn, patience time.Duration) (int64, error) {
		return w.client.Wait(ctx, waitReplicas, patience).Result()
	}
	return w
}
