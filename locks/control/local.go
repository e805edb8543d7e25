package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// A LocalConfig describes the connection to a LocalServer. Only Addr is required.
type LocalConfig struct {
	// Addr is the address of the LocalServer.
	Addr string
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	// Patience bounds the wait for the answer to a cancel. Default 2 s.
	Patience time.Duration
}

// A Local is a client of a LocalServer. A verdict against it proves an error of the harness, so it
// must never be accused.
//
// Algorithm: the server keeps one queue per name. A lease belongs to the client's connection, so
// the client may take the lock again. Source: this package. Clock: none, since no lease ever
// expires. A paused client keeps its lease. A client whose connection breaks may not notice that
// its lease is over; the lock is meant for a loopback interface that no fault cuts.
type Local struct {
	cfg  LocalConfig
	last atomic.Uint64

	mu sync.Mutex
	// session is nil if the client is not connected.
	session *localSession
	closed  bool
}

var (
	_ locks.Locker = (*Local)(nil)
	_ locks.Trier  = (*Local)(nil)
)

// LocalTraits returns the lock's traits.
func LocalTraits() locks.Traits {
	return locks.Traits{
		Reentrant: true, Fair: true, Wait: "queue", Token: true, Validity: "connection", Model: "mutex",
		// The kernel closes the connection of a dead process at once; the second is a margin
		// for a busy machine.
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
		Clock:      "none",
	}
}

// NewLocal returns a client; it connects when it is first used.
func NewLocal(cfg LocalConfig) *Local {
	if cfg.Dial == nil {
		cfg.Dial = new(net.Dialer).DialContext
	}
	if cfg.Patience <= 0 {
		cfg.Patience = 2 * time.Second
	}
	return &Local{cfg: cfg}
}

// Acquire waits in the server's queue. If neither a grant nor a refusal arrives, the outcome is
// unknown.
func (l *Local) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, "acquire", name)
}

// TryAcquire asks without waiting.
func (l *Local) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, "try", name)
}

// take sends a request for a lock; claim holds the words after the name and the owner.
func (l *Local) take(ctx context.Context, op, name string, claim ...string) (locks.Lease, error) {
	n := l.last.Add(1)
	return l.takeAs(ctx, n, op, name, fmt.Sprintf("%s:%d", l.cfg.Owner, n), claim...)
}

// takeAs sends the request with a given number and owner.
func (l *Local) takeAs(ctx context.Context, n uint64, op, name, owner string, claim ...string) (locks.Lease, error) {
	s, err := l.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err) // nothing was sent
	}
	words, err := s.call(ctx, l.cfg.Patience, n, op, append([]string{url.QueryEscape(name), url.QueryEscape(owner)}, claim...)...)
	if err != nil {
		return nil, err
	}
	switch {
	case len(words) >= 2 && words[0] == "granted":
		token, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("token of the local lock server: %w", err)
		}
		if len(words) == 3 {
			if owner, err = url.QueryUnescape(words[2]); err != nil {
				return nil, fmt.Errorf("owner of the local lock server: %w", err)
			}
		}
		return &localLease{local: l, session: s, name: name, owner: owner, token: token}, nil
	case len(words) == 1 && words[0] == "refused":
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
		}
		return nil, fmt.Errorf("%w: held by another", locks.ErrNotAcquired)
	}
	return nil, fmt.Errorf("local lock server answered %q", strings.Join(words, " "))
}

// connect returns the live connection, or opens a new one.
func (l *Local) connect(ctx context.Context) (*localSession, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errors.New("lock is closed")
	}
	if l.session != nil && l.session.alive() {
		return l.session, nil
	}
	conn, err := l.cfg.Dial(ctx, "tcp", l.cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	l.session = newLocalSession(conn)
	return l.session, nil
}

// Close drops the connection; the server frees the leases and requests of the client.
func (l *Local) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.session == nil {
		return nil
	}
	return l.session.conn.Close()
}

// A localLease belongs to the connection on which it was granted.
type localLease struct {
	local   *Local
	session *localSession
	name    string
	owner   string
	token   uint64
	// over is set once a release was sent. Another one would release a second entry.
	over atomic.Bool
}

var (
	_ locks.Fenced = (*localLease)(nil)
	_ locks.Owned  = (*localLease)(nil)
)

// Token returns the fencing token, which grows from grant to grant over all names of the
// server.
func (l *localLease) Token() uint64 { return l.token }

// Owner returns the owner value on the server.
func (l *localLease) Owner() string { return l.owner }

// Release gives back one entry. After the last entry the lock goes to the next request in the
// queue.
func (l *localLease) Release(ctx context.Context) error {
	if l.over.Swap(true) {
		return locks.ErrNotHeld
	}
	n := l.local.last.Add(1)
	words, err := l.session.call(ctx, 0, n, "release", url.QueryEscape(l.name), strconv.FormatUint(l.token, 10))
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if words[0] == "not-held" {
		return locks.ErrNotHeld
	}
	return nil
}
