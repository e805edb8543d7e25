package redis

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// A Watchdog is a Set whose lease is renewed while it is held, every third of its TTL or in another
// period, by a compare and PEXPIRE in one script.
//
// Source: Redisson's lock watchdog, on the lock of the Redis manual. Clock: as Set; the client's
// timer triggers renewals.
//
// It does not promise that a paused holder learns of the end of its lease before it goes on,
// because the watchdog is paused with it. A renewal without an answer is repeated while the lease
// is valid. The loss is reported when a renewal finds another value or none, or when the validity
// has passed.
type Watchdog struct {
	*Set
	renew *goredis.Script
	// period is the time between two renewals.
	period time.Duration

	// stop ends all watchdogs when the client is closed.
	stop  context.CancelFunc
	alive context.Context
}

var (
	_ locks.Locker = (*Watchdog)(nil)
	_ locks.Trier  = (*Watchdog)(nil)
)

// NewWatchdog returns a client; it connects when it is first used.
func NewWatchdog(cfg Config) *Watchdog { return NewWatchdogEvery(cfg, 0) }

// NewWatchdogEvery returns a client with the given period between two renewals; 0 stands for a
// third of the TTL. With a period close to the TTL, a slow renewal comes too late.
func NewWatchdogEvery(cfg Config, period time.Duration) *Watchdog {
	alive, stop := context.WithCancel(context.Background())
	w := &Watchdog{Set: NewSet(cfg), renew: redisconn.RenewScript(), period: period, alive: alive, stop: stop}
	if w.period <= 0 {
		w.period = w.cfg.TTL / 3
	}
	return w
}

// WatchdogTraits returns the lock's traits.
func WatchdogTraits() locks.Traits {
	t := SetTraits()
	t.Renews, t.Watched, t.Validity, t.Model = true, true, "renewal+TTL", "lease"
	t.LeastTTL = 300 * time.Millisecond
	return t
}

// Acquire spins until the key is set, and starts the watchdog.
func (w *Watchdog) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	l, try := w.attempt(name)
	return w.guard(l, w.terms.Spin(ctx, try))
}

// TryAcquire sends one SET, and starts the watchdog.
func (w *Watchdog) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	l, try := w.attempt(name)
	return w.guard(l, w.terms.Once(ctx, try))
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (w *Watchdog) Close() error {
	w.stop()
	return w.Set.Close()
}

// guard starts the renewals of a granted lease. They end with its release, its loss or the client.
func (w *Watchdog) guard(s *setLease, err error) (locks.Lease, error) {
	if err != nil {
		return nil, err
	}
	l := &watchdogLease{set: s, dog: w, Kept: attempt.NewKept(s.End)}
	w.watchdog(w.period).Keep(w.alive, l)
	return l, nil
}

// watchdog returns a watchdog that renews leases of this client once in each period.
func (s *server) watchdog(period time.Duration) attempt.Watchdog {
	return attempt.Watchdog{Period: period, Pause: s.terms.Pause, Clock: s.cfg.Clock}
}

// A watchdogLease is a setLease with a watchdog. Its validity ends one TTL after the start of
// the latest answered renewal.
type watchdogLease struct {
	attempt.Kept
	set *setLease
	dog *Watchdog
}

var (
	_ locks.Bounded = (*watchdogLease)(nil)
	_ locks.Watched = (*watchdogLease)(nil)
	_ locks.Renewer = (*watchdogLease)(nil)
	_ locks.Owned   = (*watchdogLease)(nil)
)

// Owner returns the value of the key.
func (l *watchdogLease) Owner() string { return l.set.Value }

// Renew extends the lease to one TTL from now.
func (l *watchdogLease) Renew(ctx context.Context) error {
	start := l.dog.cfg.Clock.Now()
	err := l.dog.change(ctx, "renew", l.dog.renew, l.set.Name, l.set.Value, l.dog.cfg.TTL.Milliseconds())
	if err != nil {
		return err
	}
	l.Extend(start.Add(l.dog.cfg.TTL))
	return nil
}

// Release stops the watchdog and deletes the key if it still has this owner's value. A renewal in
// progress then finds no such key.
func (l *watchdogLease) Release(ctx context.Context) error {
	l.Finish()
	return l.set.Release(ctx)
}
