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

// A FairConfig is a ReentrantConfig with the settings of the fair lock.
type FairConfig struct {
	ReentrantConfig
	// Turn is how long a waiter whose turn it is may take before it loses
	// its place: a dead one keeps the lock from the others that long. Redisson
	// gives five minutes. Default: the TTL.
	Turn time.Duration
}

// A Fair is a Reentrant with a queue: a list of waiters, and a sorted set of the
// times at which each loses its place. The lock is granted to the first of the list
// only, and the last release wakes that one alone, on a channel of its own.
//
// Algorithm and source: Redisson's RedissonFairLock; here a waiter that gives up
// passes on a wake-up that it may have got. Clock: as Reentrant; the time-outs in
// the queue are told by the clients' wall clocks.
//
// It does not promise order to a waiter that was stopped or cut off for longer than its turn,
// nor among clients whose clocks differ by more than that; and while a dead waiter has its turn
// nobody gets the lock. Nor under steady contention: each time-out equals the time-out of the
// waiter before plus one turn, and each grant takes one turn away, so that they count from when
// the queue was last empty. A lease and a turn later every waiter is thrown out when the next
// one asks, and learns of it when it asks again itself. Nor what Reentrant does not, but for
// the order.
type Fair struct {
	*Reentrant
	turn   time.Duration
	queued fairScripts
}

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
	// The holder's lease, and a dead waiter that came when it was new.
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

// fairKeys returns the lock, its queue, and the time-outs of the queue.
func fairKeys(name string) []string {
	return []string{lockKey(name), locks.Key("queue:", name), locks.Key("timeouts:", name)}
}

// turnChannel returns how the names of the channels of a lock's waiters begin.
func turnChannel(name string) string { return releasedChannel(name) + ":" }

// enter returns the request that takes the lock or a place in its queue, and how long it is not
// worth asking again, once that was the answer.
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

// leave returns one release, as of a Reentrant.
func (f *Fair) leave(ctx context.Context, h *hold) (int64, error) {
	return f.queued.release.Run(ctx, f.rdb, fairKeys(h.name), h.owner, f.life.Milliseconds(),
		f.cfg.Clock.Now().UnixMilli(), turnChannel(h.name)).Int64()
}

// quit gives a waiter's place up. If that does not arrive the place is lost when
// its time is over.
func (f *Fair) quit(ctx context.Context, h *hold) {
	rctx, cancel := f.terms.Request(context.WithoutCancel(ctx))
	defer cancel()
	_ = f.queued.quit.Run(rctx, f.rdb, fairKeys(h.name), h.owner, f.turn.Milliseconds(), turnChannel(h.name)).Err()
}
