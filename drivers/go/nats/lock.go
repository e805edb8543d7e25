package main

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/nats"
)

// A Lock is a record with a TTL, which its holder writes again three times in it. Each write
// names the revision before it, so that one which is carried out late replaces nothing but
// what its sender had seen. The revision of the first is the fencing token. A release leaves a
// mark, and so does the end of a TTL. Waiters spin.
//
// Source: the documentation of the key-value store of JetStream, with the TTL of single
// messages that nats-server has since 2.11. Clock: the wall clock of the stream's leader ends
// a record; the holder counts its validity from before each write.
//
// It does not promise that a stopped holder learns of the end of its lease before it goes on,
// nor any order among waiters. It is not granted while the stream has no leader, which an
// election takes 4 to 9 s to change. And what the servers have acknowledged they write to the
// disk within two minutes (sync_interval): when all lose their power before that, the holder's
// record may be gone.
type Lock struct {
	*client
	forever bool // renewals have no TTL

	alive context.Context
	stop  context.CancelFunc // ends all watchdogs when the client is closed
}

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used.
func New(cfg Config) *Lock { return newLock(cfg, false) }

// NewUpdated is New, and renews with the library's KeyValue.Update, which takes no TTL.
//
// It does not promise that the lock of a dead holder is ever free again: the first renewal
// replaces the record that expires by one that does not.
func NewUpdated(cfg Config) *Lock { return newLock(cfg, true) }

func newLock(cfg Config, forever bool) *Lock {
	alive, stop := context.WithCancel(context.Background())
	return &Lock{client: newClient(cfg), forever: forever, alive: alive, stop: stop}
}

// Acquire spins until a record was accepted, and starts the watchdog.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	h, try := l.attempt(name)
	return l.guard(h, l.terms.Spin(ctx, try))
}

// TryAcquire looks once, and writes a record if the lock is free.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	h, try := l.attempt(name)
	return l.guard(h, l.terms.Once(ctx, try))
}

// Close drops the connection and ends the watchdogs, as a crash would.
func (l *Lock) Close() error {
	l.stop()
	return l.client.Close()
}

func (l *Lock) guard(h *hold, err error) (locks.Lease, error) {
	if err != nil {
		return nil, err
	}
	attempt.Watchdog{Period: l.cfg.TTL / 3, Pause: l.terms.Pause, Clock: l.cfg.Clock}.Keep(l.alive, h)
	return h, nil
}

// attempt returns the hold that will be granted, and how it is asked for: a look, and a write
// if the lock is free. A look that is not answered has changed nothing.
func (l *Lock) attempt(name string) (*hold, attempt.Try) {
	h := &hold{lock: l, name: name}
	return h, func(ctx context.Context) (bool, error) {
		was, err := l.look(ctx, name)
		if err != nil {
			return false, &attempt.NotSentError{Err: err}
		}
		if was.Owner != "" {
			return false, nil
		}
		start := l.cfg.Clock.Now()
		h.owner = attempt.Owner(l.cfg.Owner)
		h.revision, err = l.put(ctx, name, &nats.Record{Owner: h.owner, Milliseconds: l.cfg.TTL.Milliseconds()}, was.revision, l.cfg.TTL)
		if notSo(err) {
			return false, nil
		}
		h.token, h.known, h.Kept = h.revision, true, attempt.NewKept(start.Add(l.cfg.TTL))
		return err == nil, err
	}
}
