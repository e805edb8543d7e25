package s3

import (
	"context"
	"sync"
	"time"

	"locktorture/internal/s3api"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lease is a record with an owner, a token and a TTL, which its holder replaces once in a
// third of the TTL. Who finds it unchanged for a whole TTL, by a timer of its own, takes it
// over. The first record is put with If-None-Match: *, each further one with If-Match and the
// ETag of the one before, also that of a release, which leaves a record without an owner:
// tokens go on, and no put that is carried out late replaces anything but what its sender had
// seen.
//
// Source: the lock client of DynamoDB, on the conditional puts of S3. Clock: the timers of the
// clients, which run equally fast; no two clocks are compared.
//
// It does not promise that a stopped holder learns of the end of its lease before it goes on,
// nor any order among waiters. A client that has not watched the lock of a dead holder waits
// for a TTL from its first look.
type Lease struct {
	*client
	byClock bool          // whether a lease is over is judged by the time that stands in it
	period  time.Duration // between two renewals

	mu   sync.Mutex
	seen map[string]sight // by the name of the lock

	stop  context.CancelFunc // ends all watchdogs when the client is closed
	alive context.Context
}

// A sight is the ETag of a record and when it was seen first, on the timer of this machine.
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

// NewExpiring is NewLease with a time in the record at which it is over, which the holder
// takes from its clock and each waiter compares with its own. So many locks of this kind are
// made.
//
// It does not promise anything where two clocks differ: a waiter whose clock is ahead takes
// the lock of a holder that is alive.
func NewExpiring(cfg Config) *Lease { return newLease(cfg, true) }

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

// ExpiringTraits returns the traits of a Lease of NewExpiring.
func ExpiringTraits() locks.Traits {
	t := LeaseTraits()
	t.Clock = "the wall clocks of the clients, which are compared"
	t.FreeWithin = func(ttl time.Duration) time.Duration { return ttl }
	return t
}

// Acquire spins until a record could be put, and starts the watchdog.
func (l *Lease) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	h, try := l.attempt(name)
	return l.guard(h, l.terms.Spin(ctx, try))
}

// TryAcquire looks once, and puts a record if the lock is free.
func (l *Lease) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	h, try := l.attempt(name)
	return l.guard(h, l.terms.Once(ctx, try))
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (l *Lease) Close() error {
	l.stop()
	return l.client.Close()
}

func (l *Lease) guard(h *hold, err error) (locks.Lease, error) {
	if err != nil {
		return nil, err
	}
	attempt.Watchdog{Period: l.period, Pause: l.terms.Pause, Clock: l.cfg.Clock}.Keep(l.alive, h)
	return h, nil
}

// attempt returns the hold that will be granted, and how it is asked for: a look, and a put if
// the lock is free. A look that is not answered has changed nothing.
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
		h.record = is // also if it is not answered: no other has this owner
		h.etag, err = l.store.Put(ctx, objectKey(name), is.bytes(), condition)
		if s3api.NotSo(err) {
			return false, nil
		}
		h.Kept = attempt.NewKept(start.Add(l.cfg.TTL))
		return err == nil, err
	}
}

// expiry returns what a record of now says about its end.
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
	return time.Since(s.since) > r.ttl() // a timer: setting the clock does not move it
}
