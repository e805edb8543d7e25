package redis

import (
	"context"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// A Bare holds the two minimal requests of an algorithm, without waiting, watchdog or
// validity. It is the baseline that shows the cost of waiting, watchdog and validity.
type Bare struct {
	// Take requests the lock once and reports whether it was granted. The owner differs for each
	// call.
	Take func(ctx context.Context, rdb goredis.UniversalClient, name, owner string, ttl time.Duration) (granted bool, err error)
	Free func(ctx context.Context, rdb goredis.UniversalClient, name, owner string) error
}

// BareReader returns the scripts of a reader of RW.
func BareReader() Bare { return bareRW(readerScripts()) }

// BareWriter returns the scripts of a writer of RW.
func BareWriter() Bare { return bareRW(writerScripts()) }

// bareRW returns the raw scripts of a reader or a writer.
func bareRW(mode rwScripts) Bare {
	keys := func(name, owner string) []string { return (&rwLease{name: name, owner: owner}).keys() }
	return Bare{
		Take: func(ctx context.Context, rdb goredis.UniversalClient, name, owner string, ttl time.Duration) (bool, error) {
			err := mode.acquire.Run(ctx, rdb, keys(name, owner), owner, ttl.Milliseconds()).Err()
			if errors.Is(err, goredis.Nil) {
				return true, nil
			}
			return false, err
		},
		Free: func(ctx context.Context, rdb goredis.UniversalClient, name, owner string) error {
			n, err := mode.release.Run(ctx, rdb, keys(name, owner), owner, heldKey(name)).Int64()
			return ended("release", n, err)
		},
	}
}

// BareSemaphore returns the requests for the only permit of a Semaphore.
func BareSemaphore() Bare {
	take := goredis.NewScript(acquireSemaphoreSource)
	return Bare{
		Take: func(ctx context.Context, rdb goredis.UniversalClient, name, _ string, _ time.Duration) (bool, error) {
			n, err := take.Run(ctx, rdb, []string{lockKey(name)}, 1, 1).Int64()
			return n == 1, err
		},
		Free: func(ctx context.Context, rdb goredis.UniversalClient, name, _ string) error {
			return giveBack(ctx, rdb, name, 1)
		},
	}
}

// BarePermits returns the scripts for the only permit of a Permits.
func BarePermits() Bare {
	take, free := goredis.NewScript(acquirePermitsSource), goredis.NewScript(releasePermitsSource)
	keys := func(name string) []string { return (&permitsLease{name: name}).keys() }
	return Bare{
		Take: func(ctx context.Context, rdb goredis.UniversalClient, name, owner string, ttl time.Duration) (bool, error) {
			now := time.Now()
			n, err := take.Run(ctx, rdb, keys(name), owner, 1, 1, now.UnixMilli(), now.Add(ttl).UnixMilli()).Int64()
			return n == 1, err
		},
		Free: func(ctx context.Context, rdb goredis.UniversalClient, name, owner string) error {
			n, err := free.Run(ctx, rdb, keys(name), owner, 1).Int64()
			return ended("release", n, err)
		},
	}
}
