package consul

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lock is a key that is acquired for a session; waiters watch it with a blocking query. When
// a session ends without a release, Consul's lock-delay refuses the key to everybody for a
// while.
//
// Source: Consul's guide to "distributed locking" and its KV and Session API. Clock: the Consul
// leader's monotonic clock ends the session, at the latest after two TTLs; the client's own
// clock reports the loss after one.
//
// It does not promise that a holder that is paused or cut off stops before its session is over,
// nor any order among waiters. A call whose outcome is in doubt ends the session, and with it
// all locks that the client holds (Lost is closed for each).
type Lock struct {
	*agent
	sessions *attempt.Sessions[*session]
}

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used.
func New(cfg Config) *Lock {
	a := newAgent(cfg)
	open := func(ctx context.Context) (*session, error) { return openSession(ctx, a) }
	return &Lock{agent: a, sessions: attempt.NewSessions(open, (*session).stop)}
}

// Traits returns the lock's traits with the default lock-delay.
func Traits() locks.Traits {
	return locks.Traits{
		Wait: "watch", Renews: true, Token: true, Watched: true, Validity: "session",
		LeastTTL: time.Second, Model: "fenced",
		// The sum is twice the TTL, the lock-delay, and a second to find the leader.
		FreeWithin: func(ttl time.Duration) time.Duration { return 2*ttl + DelayOf(ttl) + time.Second },
		Clock:      "the Consul leader's monotonic clock",
	}
}

// errOver reports that the session ended while a caller waited; errTaken ends a try that found the
// key taken.
var (
	errOver  = errors.New("session is over")
	errTaken = attempt.Taken()
)

// Close drops the connections. The session ends by itself after up to two TTLs.
func (l *Lock) Close() error {
	l.sessions.Close()
	l.http.CloseIdleConnections()
	return nil
}

// Acquire waits until the key is acquired, or ctx is done.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, name, l.await)
}

// TryAcquire requests the key once.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, name, func(context.Context, *session, string) error { return errTaken })
}

// take tries to acquire the key. If the key is taken, it calls wait and tries again.
func (l *Lock) take(ctx context.Context, name string, wait func(context.Context, *session, string) error) (locks.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		n, err := l.sessions.Open(ctx)
		if err != nil {
			// No key was requested yet, and a session that the client never received holds
			// nothing.
			return nil, fmt.Errorf("%w: open a session: %w", locks.ErrNotAcquired, err)
		}
		if err := n.turn(ctx, name); errors.Is(err, errOver) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		lease, err := l.queue(ctx, n, name, wait)
		if err == nil {
			return lease, nil
		}
		n.done(name)
		switch {
		case errors.Is(err, errInvalid): // the session has ended without the client's knowledge
			n.settle(true)
			n.stop()
		case !errors.Is(err, errOver):
			return nil, err
		}
	}
}

// queue alternates between trying and waiting until the key is acquired.
func (l *Lock) queue(ctx context.Context, n *session, name string, wait func(context.Context, *session, string) error) (*lease, error) {
	e := &lease{lock: l, session: n, name: name, owner: l.owner()}
	graced, cancel := l.graced(ctx)
	defer cancel()
	for {
		got, err := e.acquire(graced)
		if got && !n.Over() {
			return e, nil
		}
		if err == nil && !got {
			err = wait(ctx, n, name)
		}
		if n.Over() && ctx.Err() == nil {
			err = errOver
		}
		if err == nil {
			continue
		}
		if got || e.doubt {
			n.end() // the session may acquire the key now or later
			return nil, attempt.Unanswered(err)
		}
		if errors.Is(err, errInvalid) || errors.Is(err, errOver) {
			return nil, err // nothing was left behind: the caller may retry with a new session
		}
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
}

// await waits until the key is free or may be free.
func (l *Lock) await(ctx context.Context, n *session, name string) error {
	ctx, cancel := n.context(ctx)
	defer cancel()
	for index := ""; ctx.Err() == nil; {
		path := "kv/" + keyOf(name) + "?consistent"
		timeout := l.cfg.Timeout
		if index != "" {
			// The agent adds up to a sixteenth of the wait.
			path = fmt.Sprintf("kv/%s?index=%s&wait=%s", keyOf(name), index, l.cfg.TTL)
			timeout += l.cfg.TTL * 17 / 16
		}
		r, err := l.ask(ctx, http.MethodGet, path, nil, timeout)
		if err != nil {
			index = ""
			l.pause(ctx, retry)
			continue
		}
		holder, err := r.holder()
		if err != nil {
			return err
		}
		if holder.Session == "" {
			if index == "" { // refused although the key is free: a lock-delay is in force
				l.pause(ctx, retry)
			}
			return ctx.Err()
		}
		index = r.header.Get("X-Consul-Index")
	}
	return ctx.Err()
}
