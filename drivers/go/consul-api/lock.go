package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/consul/api"

	"locktorture/internal/dial"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A ConsulConfig says where the Consul agents are. Only Endpoints is needed.
type ConsulConfig struct {
	Endpoints []string // host:port of every agent; connections go to one after the other
	// TTL of a session, within what the servers allow (session_ttl_min). They end it
	// after up to twice that. Default 2 s.
	TTL    time.Duration
	Owner  string        // prefix of every owner value
	Access *locks.Access // its password is the token; nil: the agents are open to everybody
	// Session is what sessions are called; "": the library's own name.
	Session string
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	// Patience is how long the library is waited for when the caller's
	// context has ended: it looks for that between two questions of at most half as long.
	// Default 1 s.
	Patience time.Duration
}

// A ConsulAPI is the Lock of github.com/hashicorp/consul/api, with a session
// for each lease that the library makes and renews. The lock-delay is the TTL.
//
// Algorithm: a key that is acquired for a session, watched with blocking queries. Source: the
// library. Clock: the Consul leader's monotonic clock ends the session, after up to twice its
// TTL; it also ends when the agent that made it is seen dead.
//
// It does not promise to tell a loss in time: the leader channel closes when a
// blocking query has returned. A release does not say whether the lock was
// still held. It has no token. After a lock-delay the library pauses for 5 s.
type ConsulAPI struct {
	cfg    ConsulConfig
	wires  *dial.Wires
	client *api.Client
}

var _ locks.Locker = (*ConsulAPI)(nil)

// NewConsulAPI returns a client; it connects when it is first used.
func NewConsulAPI(cfg ConsulConfig) (*ConsulAPI, error) {
	if cfg.TTL <= 0 {
		cfg.TTL = 2 * time.Second
	}
	if cfg.Patience <= 0 {
		cfg.Patience = time.Second
	}
	if cfg.Dial == nil {
		cfg.Dial = cfg.Access.Dial
	}
	w := dial.NewWires(cfg.Dial)
	var next atomic.Uint64
	transport := &http.Transport{MaxIdleConnsPerHost: 16, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		n := next.Add(1) - 1
		return w.Dial(ctx, network, cfg.Endpoints[n%uint64(len(cfg.Endpoints))])
	}}
	_, token := cfg.Access.Login()
	c, err := api.NewClient(&api.Config{Address: cfg.Endpoints[0], Token: token, Scheme: "http", Transport: transport, HttpClient: &http.Client{Transport: transport}})
	if err != nil {
		return nil, fmt.Errorf("consul client: %w", err)
	}
	return &ConsulAPI{cfg: cfg, wires: w, client: c}, nil
}

// Acquire runs Lock.
func (c *ConsulAPI) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	owner := attempt.Owner(c.cfg.Owner)
	lock, err := c.client.LockOpts(&api.LockOptions{
		Key: locks.Key("lock/", name), SessionName: c.cfg.Session, Value: []byte(owner), SessionTTL: c.cfg.TTL.String(),
		LockDelay: c.cfg.TTL, LockWaitTime: c.cfg.Patience / 2,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	return c.take(ctx, owner, lock.Lock, lock.Unlock)
}

// take runs the library's call until ctx is over, and the patience after it.
func (c *ConsulAPI) take(ctx context.Context, owner string, acquire func(<-chan struct{}) (<-chan struct{}, error), release func() error) (locks.Lease, error) {
	l := &consulLease{consul: c, owner: owner, release: release}
	done := make(chan error, 1)
	go func() {
		lost, err := acquire(ctx.Done())
		l.lost = lost
		done <- err
	}()
	if err, ok := c.wait(ctx, done); !ok {
		go func() { // what comes too late is given back
			if err := <-done; err == nil && l.lost != nil {
				_ = release()
			}
		}()
		return nil, fmt.Errorf("acquire: %w", err)
	} else if err != nil {
		return nil, acquireError(err)
	}
	if l.lost == nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
	}
	return l, nil
}

// acquireError tells what the library's error means: only its request to acquire the key of a
// lock, or to enter itself among the holders of a semaphore, leaves something in doubt.
func acquireError(err error) error {
	for _, doubt := range []string{"failed to acquire lock", "failed to update lock"} {
		if strings.HasPrefix(err.Error(), doubt) {
			return fmt.Errorf("acquire: %w", err)
		}
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
}

// wait waits for the library until the patience after ctx is over; ok tells
// that it has returned.
func (c *ConsulAPI) wait(ctx context.Context, done <-chan error) (err error, ok bool) {
	select {
	case err := <-done:
		return err, true
	case <-ctx.Done():
	}
	t := time.NewTimer(c.cfg.Patience)
	defer t.Stop()
	select {
	case err := <-done:
		return err, true
	case <-t.C:
		return fmt.Errorf("the library did not return within %v after: %w", c.cfg.Patience, ctx.Err()), false
	}
}

// Close drops the connections. The sessions end when twice their TTL is over.
func (c *ConsulAPI) Close() error {
	c.wires.Cut()
	return nil
}

// A consulLease is a Lock that is held, or a slot of a Semaphore.
type consulLease struct {
	consul  *ConsulAPI
	release func() error
	lost    <-chan struct{}
	owner   string

	released atomic.Bool
}

var (
	_ locks.Watched = (*consulLease)(nil)
	_ locks.Owned   = (*consulLease)(nil)
)

// Lost returns the library's leader channel.
func (l *consulLease) Lost() <-chan struct{} { return l.lost }

// Owner returns the value of the key; of a slot, that of the session's key.
func (l *consulLease) Owner() string { return l.owner }

// Release runs Unlock, or the semaphore's Release, once. The library does not tell whether the
// lock was still held; ErrNotHeld comes for a second release and after a told loss.
func (l *consulLease) Release(ctx context.Context) error {
	if l.released.Swap(true) {
		return locks.ErrNotHeld
	}
	over := false
	select {
	case <-l.lost:
		over = true
	default:
	}
	done := make(chan error, 1)
	go func() { done <- l.release() }()
	err, _ := l.consul.wait(ctx, done)
	switch {
	case errors.Is(err, api.ErrLockNotHeld), errors.Is(err, api.ErrSemaphoreNotHeld), err == nil && over:
		return locks.ErrNotHeld
	case err != nil:
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
