package redis

import (
	"context"
	_ "embed"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

var (
	//go:embed fair_stale.lua
	fairStaleSource string
	//go:embed acquire_fair.lua
	acquireFairSource string
	//go:embed release_fair.lua
	releaseFairSource string
	//go:embed leave_fair.lua
	leaveFairSource string
)

// A FairConfig is a ReentrantConfig with the setting of the fair lock.
type FairConfig struct {
	ReentrantConfig
	// Turn is the time after which a waiter whose turn it is loses its place: a dead waiter blocks
	// the others for that long. Redisson uses five minutes. Default: the TTL.
	Turn time.Duration
}

// A Fair is a Reentrant with a queue: a list of waiters, and a sorted set of the times at which
// each loses its place. The lock is granted only to the first in the list. The last release wakes
// only that waiter, on a channel of its own.
//
// Algorithm and source: Redisson's RedissonFairLock; here, a waiter whose ctx ends also passes on a
// wake-up that it may have received. Clock: as Reentrant; the timeouts in the queue come from the
// clients' wall clocks.
//
// It does not promise order to a waiter that was paused or cut off for longer than its turn,
// nor among clients whose clocks differ by more than a turn. While a dead waiter has its turn,
// nobody gets the lock. Nor does it promise order under steady contention. The timeout of each
// waiter is the timeout of the waiter before it plus one turn, and each grant takes one turn
// away, so the timeouts count from the time at which the queue was last empty. One lease and
// one turn after that time, the next request removes every waiter, and each waiter learns of
// its removal only at its own next request. All other promises of Reentrant hold.
type Fair struct {
	*Reentrant
	turn   time.Duration
	queued fairScripts
}

// fairScripts are the scripts of the fair lock. quit removes a waiter from the queue.
type fairScripts struct{ acquire, release, quit *goredis.Script }

var (
	_ locks.Locker = (*Fair)(nil)
	_ locks.Trier  = (*Fair)(nil)
)

// NewFair returns a client; it connects when it is first used.
func NewFair(cfg FairConfig) *Fair {
	f := &Fair{Reentrant: NewReentrant(cfg.ReentrantConfig), turn: cfg.Turn, queued: fairScripts{
		acquire: goredis.NewScript(fairStaleSource + acquireFairSource),
		release: goredis.NewScript(fairStaleSource + releaseFairSource),
		quit:    goredis.NewScript(leaveFairSource),
	}}
	if f.turn <= 0 {
		f.turn = f.cfg.TTL
	}
	return f
}

// FairTraits returns the lock's traits.
func FairTraits() locks.Traits {
	t := ReentrantTraits()
	t.Fair = true
	// The time covers the holder's lease, and a dead waiter that came when the lease was new.
	t.FreeWithin = func(ttl time.Duration) time.Duration { return 3*ttl + retryMax }
	t.Clock = "the Redis server's wall clock; in the queue the clients'"
	return t
}

// Acquire waits in the queue, or enters the lock once more.
func (f *Fair) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	h := f.holds.of(name, f.server)
	enter, left := f.enter(h, true)
	err := f.terms.Once(ctx, enter)
	if errors.Is(err, locks.ErrNotAcquired) && ctx.Err() == nil {
		err = f.waitWoken(ctx, turnChannel(name)+h.owner, enter, left)
	}
	if err != nil {
		f.quit(ctx, h)
	}
	return f.entered(h, f, err)
}

// TryAcquire asks once and does not queue.
func (f *Fair) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	h := f.holds.of(name, f.server)
	enter, _ := f.enter(h, false)
	return f.entered(h, f, f.terms.Once(ctx, enter))
}

// fairKeys returns the keys of the lock, of its queue, and of the timeouts of the queue.
func fairKeys(name string) []string {
	return []string{lockKey(name), locks.Key("queue:", name), locks.Key("timeouts:", name)}
}

// turnChannel returns the prefix of the channels of a lock's waiters.
func turnChannel(name string) string { return releasedChannel(name) + ":" }

// enter returns the request that takes the lock or a place in its queue. After a refusal, the
// duration holds the time until the next request is worthwhile.
func (f *Fair) enter(h *hold, queue bool) (attempt.Try, *time.Duration) {
	left := new(time.Duration)
	place := 0
	if queue {
		place = 1
	}
	return func(ctx context.Context) (bool, error) {
		*left = 0
		start := f.cfg.Clock.Now()
		ms, err := f.queued.acquire.Run(ctx, f.rdb, fairKeys(h.name), h.owner, f.life.Milliseconds(),
			start.UnixMilli(), f.turn.Milliseconds(), place).Int64()
		if errors.Is(err, goredis.Nil) {
			h.Extend(start.Add(f.life))
			return true, nil
		}
		*left = time.Duration(ms) * time.Millisecond
		return false, err
	}, left
}

// leave sends one release, as Reentrant does.
func (f *Fair) leave(ctx context.Context, h *hold) (int64, error) {
	return f.queued.release.Run(ctx, f.rdb, fairKeys(h.name), h.owner, f.life.Milliseconds(),
		f.cfg.Clock.Now().UnixMilli(), turnChannel(h.name)).Int64()
}

// quit gives up a waiter's place. If the request does not arrive, the waiter loses its place
// at the timeout of the place.
func (f *Fair) quit(ctx context.Context, h *hold) {
	rctx, cancel := f.terms.Request(context.WithoutCancel(ctx))
	defer cancel()
	_ = f.queued.quit.Run(rctx, f.rdb, fairKeys(h.name), h.owner, f.turn.Milliseconds(), turnChannel(h.name)).Err()
}
