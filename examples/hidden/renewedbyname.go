package hidden

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// renewedByName renews whatever lease the key has, be it another's.
type renewedByName struct{ base }

var compareAndExpire = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`)

func (l renewedByName) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	v := value()
	return waits(ctx, name, func() (locks.Lease, error) {
		from := time.Now()
		ok, err := l.set(ctx, name, v)
		if !ok || err != nil {
			return nil, err
		}
		r := &renewed{base: l.base, name: name, value: v, until: from.Add(l.ttl), stop: make(chan struct{})}
		go r.watch()
		return r, nil
	})
}

// A renewed lease is renewed three times in a TTL.
type renewed struct {
	base
	name, value string
	stop        chan struct{}

	mu    sync.Mutex
	until time.Time
	once  sync.Once
}

func (r *renewed) Until() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.until
}

func (r *renewed) watch() {
	tick := time.NewTicker(r.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-r.stop:
			return
		case <-tick.C:
		}
		from := time.Now()
		ok, err := r.renew()
		switch {
		case err != nil: // the next may do
		case !ok:
			return
		default:
			r.mu.Lock()
			r.until = from.Add(r.ttl)
			r.mu.Unlock()
		}
	}
}

func (r *renewed) renew() (bool, error) {
	if !r.right {
		return r.redis().PExpire(context.Background(), r.name, r.ttl).Result()
	}
	n, err := compareAndExpire.Run(context.Background(), r.redis(), []string{r.name}, r.value, r.ttl.Milliseconds()).Int()
	return n == 1, err
}

func (r *renewed) Release(ctx context.Context) error {
	r.once.Do(func() { close(r.stop) })
	return r.delete(ctx, r.name, r.value)
}
