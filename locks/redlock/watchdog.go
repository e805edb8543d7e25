package redlock

import (
	"context"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// A Watchdog is a Redlock whose lease is renewed every third of its TTL while it is held, by a
// compare and PEXPIRE on all servers. A renewal counts if a quorum carries it out within the
// validity that it grants.
//
// Source: redis.io, "Distributed Locks with Redis", "Making the algorithm more reliable: extending
// the lock". Clock: as Redlock; the client's timer triggers renewals.
//
// Its promises are no stronger than those of Redlock: the watchdog is paused with its holder. A
// renewal does not restore the key on a server that has lost it.
type Watchdog struct {
	*Redlock
	renew *goredis.Script

	// stop ends all watchdogs when the client is closed.
	stop  context.CancelFunc
	alive context.Context
}

var (
	_ locks.Locker = (*Watchdog)(nil)
	_ locks.Trier  = (*Watchdog)(nil)
)

// NewWatchdog returns a client; it connects when it is first used.
func NewWatchdog(cfg Config) *Watchdog {
	w := &Watchdog{Redlock: New(cfg), renew: redisconn.RenewScript()}
	w.alive, w.stop = context.WithCancel(context.Background())
	return w
}

// WatchdogTraits returns the lock's traits.
func WatchdogTraits() locks.Traits {
	t := Traits()
	t.Renews, t.Watched, t.Model = true, true, "lease"
	t.Validity = "renewal + TTL − elapsed − drift"
	t.LeastTTL = 500 * time.Millisecond
	return t
}

// Acquire makes rounds until one is granted or ctx is done, and starts the watchdog.
func (w *Watchdog) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return w.guard(w.Redlock.Acquire(ctx, name))
}

// TryAcquire makes one round, and starts the watchdog.
func (w *Watchdog) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return w.guard(w.Redlock.TryAcquire(ctx, name))
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (w *Watchdog) Close() error {
	w.stop()
	return w.Redlock.Close()
}

// guard starts the renewals of a granted lease. They end with its release, its loss or the client.
func (w *Watchdog) guard(granted locks.Lease, err error) (locks.Lease, error) {
	if err != nil {
		return nil, err
	}
	first := granted.(*lease)
	l := &watchdogLease{lease: first, dog: w, Kept: attempt.NewKept(first.End)}
	attempt.Watchdog{Period: w.cfg.TTL / 3, Pause: w.terms.Pause, Clock: w.cfg.Clock}.Keep(w.alive, l)
	return l, nil
}

// A watchdogLease is a lease with a watchdog.
type watchdogLease struct {
	*lease // its own validity ends with the grant's; renewals extend Kept instead
	attempt.Kept
	dog *Watchdog
}

var (
	_ locks.Bounded = (*watchdogLease)(nil)
	_ locks.Watched = (*watchdogLease)(nil)
	_ locks.Renewer = (*watchdogLease)(nil)
)

// Until returns the end of the validity after the latest renewal.
func (l *watchdogLease) Until() time.Time { return l.Kept.Until() }

// Renew extends the lease to one TTL from now, on a quorum. ErrNotHeld means that too few servers
// have the key.
func (l *watchdogLease) Renew(ctx context.Context) error {
	r := l.redlock
	start := r.cfg.Clock.Now()
	t := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) {
		return heldVote(l.dog.renew.Run(ctx, n.rdb, []string{l.key}, l.Value, r.cfg.TTL.Milliseconds()).Int64())
	})
	switch {
	case t.votes[granted]+t.votes[silent] < r.quorum:
		return fmt.Errorf("renew: %w: %d of %d nodes have it", locks.ErrNotHeld, t.votes[granted], len(r.nodes))
	case t.votes[granted] < r.quorum:
		return fmt.Errorf("renew: %w", t.err)
	}
	until, err := r.check(r.cfg, start, r.cfg.Clock.Now())
	if err != nil {
		return fmt.Errorf("renew: %w", err)
	}
	l.Extend(until)
	return nil
}

// Release stops the watchdog and deletes the keys.
func (l *watchdogLease) Release(ctx context.Context) error {
	l.Finish()
	return l.lease.Release(ctx)
}
