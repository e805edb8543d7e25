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

//go:embed acquire_reentrant.lua
var acquireReentrantSource string

//go:embed release_reentrant.lua
var releaseReentrantSource string

//go:embed renew_reentrant.lua
var renewReentrantSource string

// A ReentrantConfig is a Config with the setting of reentrant locks.
type ReentrantConfig struct {
	Config
	// Lease is the length of a lease that is not renewed. 0 means that a lease has the length
	// TTL and that a watchdog renews it.
	Lease time.Duration
}

// A Reentrant is a hash with one field, the owner, which counts its entries. Waiters are woken by a
// message that the last release publishes, or when the lease that they saw should be over. A
// watchdog renews the lease every third of the TTL, unless Config.Lease fixes its length.
//
// Algorithm and source: Redisson's RedissonLock (tryLockInnerAsync, unlockInnerAsync,
// renewExpirationAsync). The owner stands for the client while it is inside: Redisson reuses the
// number of a thread, but here each outermost grant has a name of its own, so that a late release
// cannot end a later lease. Clock: the server's wall clock ends the lease; the client's timer
// triggers renewals.
//
// Its promises are no stronger than those of Watchdog. A lost wake-up (a broken subscription) costs
// a waiter up to a TTL. It has no token and no order among waiters.
type Reentrant struct {
	*server
	// life is the validity of a lease after each renewal.
	life    time.Duration
	renews  bool
	scripts reentrantScripts
	holds   holds

	// stop ends all watchdogs when the client is closed.
	stop  context.CancelFunc
	alive context.Context
}

// reentrantScripts are the scripts of the reentrant lock. The count of entries is on the server.
type reentrantScripts struct{ acquire, release, renew *goredis.Script }

var (
	_ locks.Locker = (*Reentrant)(nil)
	_ locks.Trier  = (*Reentrant)(nil)
)

// NewReentrant returns a client; it connects when it is first used.
func NewReentrant(cfg ReentrantConfig) *Reentrant {
	s := newServer(cfg.Config)
	r := &Reentrant{server: s, life: s.cfg.TTL, renews: cfg.Lease == 0, scripts: reentrantScripts{
		acquire: goredis.NewScript(acquireReentrantSource),
		release: goredis.NewScript(releaseReentrantSource),
		renew:   goredis.NewScript(renewReentrantSource),
	}}
	if !r.renews {
		r.life = cfg.Lease
	}
	r.alive, r.stop = context.WithCancel(context.Background())
	return r
}

// ReentrantTraits returns the traits of the lock with a watchdog.
func ReentrantTraits() locks.Traits {
	t := WatchdogTraits()
	t.Reentrant, t.Wait = true, "pub/sub"
	return t
}

// Acquire waits for the lock, or enters it once more.
func (r *Reentrant) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	h := r.holds.of(name, r.server)
	enter, left := r.enter(h)
	return r.entered(h, r, r.orWaitWoken(ctx, releasedChannel(name), enter, left))
}

// TryAcquire asks once.
func (r *Reentrant) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	h := r.holds.of(name, r.server)
	enter, _ := r.enter(h)
	return r.entered(h, r, r.terms.Once(ctx, enter))
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (r *Reentrant) Close() error {
	r.stop()
	return r.server.Close()
}

// releasedChannel returns the channel on which the release of a lock is published.
func releasedChannel(name string) string { return locks.Key("released:", name) }

// enter returns the request that takes the lock. After a refusal, the duration holds the remaining
// length of the other client's lease.
func (r *Reentrant) enter(h *hold) (attempt.Try, *time.Duration) {
	left := new(time.Duration)
	return func(ctx context.Context) (bool, error) {
		*left = 0
		start := r.cfg.Clock.Now()
		ms, err := r.scripts.acquire.Run(ctx, r.rdb, []string{lockKey(h.name)}, h.owner, r.life.Milliseconds()).Int64()
		if errors.Is(err, goredis.Nil) {
			h.Extend(start.Add(r.life))
			return true, nil
		}
		*left = time.Duration(ms) * time.Millisecond
		return false, err
	}, left
}

// leave sends one release. It returns the number of the owner's remaining entries; -1 if it had
// none.
func (r *Reentrant) leave(ctx context.Context, h *hold) (int64, error) {
	keys := []string{lockKey(h.name), releasedChannel(h.name)}
	return r.scripts.release.Run(ctx, r.rdb, keys, h.owner, r.life.Milliseconds()).Int64()
}

// entered returns the lease of a granted request.
func (r *Reentrant) entered(h *hold, from leaver, err error) (locks.Lease, error) {
	if err != nil {
		if !errors.Is(err, locks.ErrNotAcquired) {
			r.holds.forget(h) // the server may count an entry, so the next grant needs another name
		}
		return nil, err
	}
	l := &reentrantLease{hold: h, from: from}
	if r.holds.enter(h) && r.renews {
		r.watchdog(r.life/3).Keep(r.alive, l)
	}
	return l, nil
}
