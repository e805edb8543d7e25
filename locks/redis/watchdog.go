package redis

import (
	"context"
	_ "embed"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

//go:embed renew.lua
var renewSource string

// A Watchdog is a Set whose lease is renewed every third of its TTL, or in another period, for as
// long as it is held, by a compare and PEXPIRE in one script.
//
// Source: Redisson's lock watchdog, on the lock of the Redis manual. Clock: as
// Set; the client's timer decides when to renew.
//
// It does not promise that a stopped holder learns of the end of its lease before
// it goes on: the watchdog is stopped with it. A renewal that is not answered
// is tried again while the lease is valid; its loss is told when a renewal
// finds another's value or none, or when the validity has passed.
type Watchdog struct {
	*Set
	renew  *goredis.Script
	period time.Duration // between two renewals

	stop  context.CancelFunc // ends all watchdogs when the client is closed
	alive context.Context
}

var (
	_ locks.Locker = (*Watchdog)(nil)
	_ locks.Trier  = (*Watchdog)(nil)
)

// NewWatchdog returns a client; it connects when it is first used.
func NewWatchdog(cfg Config) *Watchdog { return NewWatchdogEvery(cfg, 0) }

// NewWatchdogEvery is NewWatchdog with a period between two renewals of its own; 0 is a
// third of the TTL. With a period near the TTL a renewal that is slow comes too late.
func NewWatchdogEvery(cfg Config, period time.Duration) *Watchdog {
	alive, stop := context.WithCancel(context.Background())
	w := &Watchdog{Set: NewSet(cfg), renew: goredis.NewScript(renewSource), period: period, alive: alive, stop: stop}
	if w.period <= 0 {
		w.period = w.cfg.TTL / 3
	}
	return w
}

// WatchdogTraits is what the lock declares.
func WatchdogTraits() locks.Traits {
	t := SetTraits()
	t.Renews, t.Watched, t.Validity, t.Model = true, true, "renewal+TTL", "lease"
	t.LeastTTL = 300 * time.Millisecond
	return t
}

// Acquire spins until the key could be set, and starts the watchdog.
func (w *Watchdog) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	l, try := w.attempt(name)
	if err := w.spin(ctx, try); err != nil {
		return nil, err
	}
	return w.guard(l), nil
}

// TryAcquire sends one SET, and starts the watchdog.
func (w *Watchdog) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	l, try := w.attempt(name)
	if err := w.once(ctx, try); err != nil {
		return nil, err
	}
	return w.guard(l), nil
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (w *Watchdog) Close() error {
	w.stop()
	return w.Set.Close()
}

func (w *Watchdog) guard(s *setLease) *watchdogLease {
	ctx, cancel := context.WithCancel(w.alive)
	l := &watchdogLease{setLease: *s, dog: w, end: cancel, lost: make(chan struct{})}
	go w.keepEvery(ctx, w.period, l)
	return l
}

// A watchdogLease is a setLease that is kept alive.
type watchdogLease struct {
	setLease // its until is guarded by mu
	dog      *Watchdog
	end      context.CancelFunc // of the watchdog
	lost     chan struct{}

	mu   sync.Mutex
	over bool // lost or released
}

var (
	_ locks.Bounded = (*watchdogLease)(nil)
	_ locks.Watched = (*watchdogLease)(nil)
	_ locks.Renewer = (*watchdogLease)(nil)
)

// Until is the start of the last renewal that was answered, plus the TTL.
func (l *watchdogLease) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// Lost is closed when the lease is known to be over.
func (l *watchdogLease) Lost() <-chan struct{} { return l.lost }

// Renew gives the lease a TTL from now.
func (l *watchdogLease) Renew(ctx context.Context) error {
	start := l.dog.cfg.Clock.Now()
	err := l.dog.change(ctx, "renew", l.dog.renew, l.name, l.owner, l.dog.cfg.TTL.Milliseconds())
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := start.Add(l.dog.cfg.TTL); until.After(l.until) {
		l.until = until
	}
	return nil
}

// Release ends the watchdog and deletes the key if it still has this owner's
// value. A renewal under way finds no such key afterwards.
func (l *watchdogLease) Release(ctx context.Context) error {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.end()
	return l.setLease.Release(ctx)
}

// lose tells the loss, unless the lease was released.
func (l *watchdogLease) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.lost)
	}
}
