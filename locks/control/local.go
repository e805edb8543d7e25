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

// LocalConfig says where a Local finds its server. Only Addr is needed.
type LocalConfig struct {
	Addr  string // of the LocalServer
	Owner string // begins every owner value
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	// Patience is how long the answer to a cancel is waited for. Default 2 s.
	Patience time.Duration
}

// A Local is a client of a LocalServer: the lock that must never be accused.
//
// Algorithm: a server with one queue for each name; a lease belongs to the client's
// connection, and so the client may take the lock again. Source: this package. Clock: none, no
// lease ever expires. A stopped client keeps its lease for as long as it is stopped, and a
// client whose connection is lost may not know that its lease is over: it is meant for a
// loopback that nobody cuts.
type Local struct {
	cfg  LocalConfig
	last atomic.Uint64

	mu      sync.Mutex
	session *localSession // nil: not connected
	closed  bool
}

var (
	_ locks.Locker = (*Local)(nil)
	_ locks.Trier  = (*Local)(nil)
)

// LocalTraits is what the lock declares.
func LocalTraits() locks.Traits {
	return locks.Traits{
		Reentrant: true, Fair: true, Wait: "queue", Token: true, Validity: "connection", Model: "mutex",
		// The kernel closes the connection of a dead process at once; the
		// rest is for a machine that is busy.
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

// Acquire waits in the server's queue. A request that was answered neither way
// makes the outcome unknown.
func (l *Local) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, "acquire", name)
}

// TryAcquire does not wait.
func (l *Local) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, "try", name)
}

// take asks for a lock, with what stands in the request beyond the name and the owner.
func (l *Local) take(ctx context.Context, op, name string, claim ...string) (locks.Lease, error) {
	n := l.last.Add(1)
	return l.takeAs(ctx, n, op, name, fmt.Sprintf("%s:%d", l.cfg.Owner, n), claim...)
}

// takeAs is take, with the number of the request and the owner.
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

// connect returns the live connection, or makes a new one.
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

// Close drops the connection; the server frees what it held.
func (l *Local) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.session == nil {
		return nil
	}
	return l.session.conn.Close()
}

// A localLease belongs to the connection over which it was granted.
type localLease struct {
	local   *Local
	session *localSession
	name    string
	owner   string
	token   uint64
	over    atomic.Bool // a release was sent: the next would be that of another entry
}

var (
	_ locks.Fenced = (*localLease)(nil)
	_ locks.Owned  = (*localLease)(nil)
)

// Token grows from grant to grant of the whole server.
func (l *localLease) Token() uint64 { return l.token }

// Owner is the owner value on the server.
func (l *localLease) Owner() string { return l.owner }

// Release hands the lock to the next in the queue, unless it was taken again.
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
