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

// A ReentrantConfig is a Config with the settings of reentrant locks.
type ReentrantConfig struct {
	Config
	// Lease is the life of a lease that is not renewed; 0: a lease has the
	// TTL and is renewed by a watchdog.
	Lease time.Duration
}

// A Reentrant is a hash with one field, the owner, that counts how often it has
// entered. Waiters are woken by a message that the last release publishes, or
// when the lease that they saw should be over. A watchdog renews every third of the
// TTL unless the lease has a life of its own.
//
// Algorithm and source: Redisson's RedissonLock (tryLockInnerAsync, unlockInnerAsync,
// renewExpirationAsync). The owner is the client while it is inside: where
// Redisson uses the number of a thread, again and again, each outermost grant
// has a name of its own here, so that a release that is carried out late ends
// nothing of a later one. Clock: the server's wall clock ends the lease; the client's
// timer decides when to renew.
//
// It does not promise what Watchdog does not; and a wake-up that is lost (a broken
// subscription) costs a waiter up to a TTL. It has no token and no order among
// waiters.
type Reentrant struct {
	*server
	life    time.Duration // of a lease between two renewals
	renews  bool
	scripts reentrantScripts
	holds   holds

	stop  context.CancelFunc // ends all watchdogs when the client is closed
	alive context.Context
}

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

// ReentrantTraits returns the lock's traits, with a watchdog.
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

// releasedChannel returns where the release of a lock is published.
func releasedChannel(name string) string { return locks.Key("released:", name) }

// enter returns the request that takes the lock, and how long the lease of another lasts, once
// that was the answer.
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

// leave returns one release; it returns how often the owner is still inside, -1 if it was not.
func (r *Reentrant) leave(ctx context.Context, h *hold) (int64, error) {
	keys := []string{lockKey(h.name), releasedChannel(h.name)}
	return r.scripts.release.Run(ctx, r.rdb, keys, h.owner, r.life.Milliseconds()).Int64()
}

// entered returns the lease of a request that was granted.
func (r *Reentrant) entered(h *hold, from leaver, err error) (locks.Lease, error) {
	if err != nil {
		if !errors.Is(err, locks.ErrNotAcquired) {
			r.holds.forget(h) // whether it has entered is not known: the next grant needs another name
		}
		return nil, err
	}
	l := &reentrantLease{hold: h, from: from}
	if r.holds.enter(h) && r.renews {
		r.watchdog(r.life/3).Keep(r.alive, l)
	}
	return l, nil
}
