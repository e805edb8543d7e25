package hidden

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// queue hands the lock to the waiter that came first, which waits in the server. A waiter whose
// connection broke stays in the queue, and is handed a lock that never ends.
type queue struct{ base }

// nap is how long a waiter waits in the server at a time.
const nap = 100 * time.Millisecond

var (
	// handOver gives the lock to the next in the queue; for how long is its third argument.
	handOver = redis.NewScript(`if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("del", KEYS[1])
local next = redis.call("lpop", KEYS[2])
if next then
  redis.call("set", KEYS[1], next)
  if ARGV[3] ~= "" then redis.call("pexpire", KEYS[1], ARGV[3]) end
  redis.call("rpush", ARGV[2] .. next, 1)
  redis.call("pexpire", ARGV[2] .. next, 60000)
end
return 1`)
	join = redis.NewScript(`if redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return 1 end
redis.call("rpush", KEYS[2], ARGV[1])
return 0`)
)

func (l queue) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return waits(ctx, name, func() (locks.Lease, error) {
		v, from := value(), time.Now()
		got, err := join.Run(context.WithoutCancel(ctx), l.redis(), []string{name, name + ":queue"}, v, l.ttl.Milliseconds()).Int()
		if err != nil {
			return nil, err
		}
		if got == 0 {
			if from, err = l.wait(context.WithoutCancel(ctx), name, v); err != nil || from.IsZero() {
				return nil, err
			}
		}
		return &lease{from.Add(l.ttl), func(ctx context.Context) error { return l.handOver(ctx, name, v) }}, nil
	})
}

// wait waits to be handed the lock, and begins the lease then; the zero time if nobody hands it
// over.
func (l queue) wait(ctx context.Context, name, v string) (from time.Time, err error) {
	err = l.redis().BLPop(ctx, nap, name+":handed:"+v).Err()
	if errors.Is(err, redis.Nil) {
		left, err := l.redis().LRem(ctx, name+":queue", 1, v).Result()
		if left > 0 || err != nil {
			return from, err
		}
	} else if err != nil {
		return from, err
	}
	from = time.Now()
	n, err := compareAndExpire.Run(ctx, l.redis(), []string{name}, v, l.ttl.Milliseconds()).Int()
	if n == 0 || err != nil {
		return time.Time{}, err
	}
	return from, nil
}

func (l queue) handOver(ctx context.Context, name, v string) error {
	forHow := any("")
	if l.right {
		forHow = l.ttl.Milliseconds()
	}
	n, err := handOver.Run(ctx, l.redis(), []string{name, name + ":queue"}, v, name+":handed:", forHow).Int()
	if err == nil && n == 0 {
		return locks.ErrNotHeld
	}
	return err
}
