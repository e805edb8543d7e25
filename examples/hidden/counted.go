package hidden

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// counted takes the lock with INCR and sets its expiry with the next command, if there is one.
type counted struct{ base }

var (
	takeAll = redis.NewScript(`if redis.call("incr", KEYS[1]) > 1 then return 0 end
redis.call("pexpire", KEYS[1], ARGV[2])
redis.call("set", KEYS[2], ARGV[1], "PX", ARGV[2])
return 1`)
	dropAll = redis.NewScript(`if redis.call("get", KEYS[2]) == ARGV[1] then return redis.call("del", KEYS[1], KEYS[2]) end return 0`)
)

func (l counted) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	v, keys := value(), []string{name + ":count", name + ":owner"}
	return waits(ctx, name, func() (locks.Lease, error) {
		from := time.Now()
		ok, err := l.take(context.WithoutCancel(ctx), keys, v)
		if !ok || err != nil {
			return nil, err
		}
		return &lease{from.Add(l.ttl), func(ctx context.Context) error {
			n, err := dropAll.Run(ctx, l.redis(), keys, v).Int()
			if err == nil && n == 0 {
				err = locks.ErrNotHeld
			}
			return err
		}}, nil
	})
}

func (l counted) take(ctx context.Context, keys []string, v string) (bool, error) {
	if l.right {
		n, err := takeAll.Run(ctx, l.redis(), keys, v, l.ttl.Milliseconds()).Int()
		return n == 1, err
	}
	n, err := l.redis().Incr(ctx, keys[0]).Result()
	if n != 1 || err != nil {
		return false, err
	}
	if err := l.redis().PExpire(ctx, keys[0], l.ttl).Err(); err != nil {
		return false, err
	}
	return true, l.redis().Set(ctx, keys[1], v, l.ttl).Err()
}
