package s3

import (
	"context"
	"sync"
	"time"

	"locktorture/internal/s3api"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lease is a record with an owner, a token and a TTL, which its holder replaces once in each
// third of the TTL. A waiter that sees it unchanged for a whole TTL, by its own timer, takes it
// over. The first record is put with If-None-Match: *, and each further one with If-Match and the
// ETag of the record before. A release also writes a record, without an owner, so tokens continue.
// A put that arrives late replaces only the record that its sender had seen.
//
// Source: the lock client of DynamoDB, on the conditional puts of S3. Clock: the timers of the
// clients, which run at the same rate; no two clocks are compared.
//
// It does not promise that a paused holder learns of the end of its lease before it goes on, nor
// any order among waiters. A client that has not watched the lock of a dead holder waits for a TTL
// from its first look.
type Lease struct {
	*client
	// byClock reports that the time in the record decides whether a lease is over.
	byClock bool
	// period is the time between two renewals.
	period time.Duration

	mu sync.Mutex
	// seen maps the name of a lock to its latest sight.
	seen map[string]sight

	// stop ends all watchdogs when the client is closed.
	stop  context.CancelFunc
	alive context.Context
}

// A sight is the ETag of a record, with the time at which it was first seen on this machine.
type sight struct {
	etag  string
	since time.Time
}

var (
	_ locks.Locker = (*Lease)(nil)
	_ locks.Trier  = (*Lease)(nil)
)

// NewLease returns a client; it connects when it is first used.
func NewLease(cfg Config) *Lease { return newLease(cfg, false) }

// NewExpiring returns a Lease whose record contains its expiry, by the clock of the holder. Each
// waiter compares it with its own clock. Many locks are implemented like this.
//
// It promises nothing if two clocks differ: a waiter whose clock is ahead takes the lock of a live
// holder.
func NewExpiring(cfg Config) *Lease { return newLease(cfg, true) }

// newLease makes a client. It renews leases every third of the TTL, so that two renewals in a row
// may fail.
func newLease(cfg Config, byClock bool) *Lease {
	alive, stop := context.WithCancel(context.Background())
	c := newClient(cfg)
	return &Lease{client: c, byClock: byClock, period: c.cfg.TTL / 3, seen: map[string]sight{}, alive: alive, stop: stop}
}

// LeaseTraits returns the traits of Lease.
func LeaseTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Watched: true, Renews: true, Token: true, Validity: "renewal+TTL",
		LeastTTL: 300 * time.Millisecond, Model: "fenced", Clock: "the clients' timers",
		// A waiter that comes after the last renewal waits for a TTL from its first look.
		FreeWithin: func(ttl time.Duration) time.Duration { return 2 * ttl },
	}
}

// ExpiringTraits returns the traits of a Lease that NewExpiring makes.
func ExpiringTraits() locks.Traits {
	t := LeaseTraits()
	t.Clock = "the wall clocks of the clients, which are compared"
	t.FreeWithin = func(ttl time.Duration) time.Duration { return ttl }
	return t
}

// Acquire spins until a record is put, and starts the watchdog.
func (l *Lease) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	h, try := l.attempt(name)
	return l.guard(h, l.terms.Spin(ctx, try))
}

// TryAcquire reads the record once, and puts its own if the lock is free.
func (l *Lease) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	h, try := l.attempt(name)
	return l.guard(h, l.terms.Once(ctx, try))
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (l *Lease) Close() error {
	l.stop()
	return l.client.Close()
}

// guard starts the renewals of a granted hold. They end with its release, its loss or the client.
func (l *Lease) guard(h *hold, err error) (locks.Lease, error) {
	if err != nil {
		return nil, err
	}
	attempt.Watchdog{Period: l.period, Pause: l.terms.Pause, Clock: l.cfg.Clock}.Keep(l.alive, h)
	return h, nil
}

// attempt returns the hold that will be granted, and the request for it: a read, and a put if the
// lock is free. An unanswered read has changed nothing.
func (l *Lease) attempt(name string) (*hold, attempt.Try) {
	h := &hold{lock: l, name: name}
	return h, func(ctx context.Context) (bool, error) {
		was, etag, err := read(ctx, l.store, name)
		if err != nil {
			return false, &attempt.NotSentError{Err: err}
		}
		if !l.free(name, was, etag) {
			return false, nil
		}
		start, condition := l.cfg.Clock.Now(), s3api.IfAbsent()
		if etag != "" {
			condition = s3api.IfMatch(etag)
		}
		is := record{Owner: attempt.Owner(l.cfg.Owner), Token: was.Token + 1, Milliseconds: milliseconds(l.cfg.TTL)}.next(l.expiry(start))
		h.record = is // even if the put is not answered: no other record has this owner
		h.etag, err = l.store.Put(ctx, objectKey(name), is.bytes(), condition)
		if s3api.NotSo(err) {
			return false, nil
		}
		h.Kept = attempt.NewKept(start.Add(l.cfg.TTL))
		return err == nil, err
	}
}

// expiry returns the expiry that a record written now must contain; zero for a Lease without one.
func (l *Lease) expiry(now time.Time) time.Time {
	if !l.byClock {
		return time.Time{}
	}
	return now.Add(l.cfg.TTL).UTC()
}

// free reports whether a record that was just read may be replaced.
func (l *Lease) free(name string, r record, etag string) bool {
	if r.Owner == "" {
		return true
	}
	if l.byClock {
		return l.cfg.Clock.Now().After(r.Expires)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.seen[name]
	if !ok || s.etag != etag {
		s = sight{etag, time.Now()}
		l.seen[name] = s
	}
	return time.Since(s.since) > r.ttl() // measured by a timer, which a change of the clock does not affect
}
