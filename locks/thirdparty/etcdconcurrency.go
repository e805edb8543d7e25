// Package thirdparty holds adapters to lock libraries that people use, as they
// are: an adapter turns the library's errors into those of package locks and has
// no lock logic of its own.
package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"locktorture/locks"
)

// An EtcdConfig says where the etcd servers are. Only Endpoints is needed.
type EtcdConfig struct {
	Endpoints []string // host:port of every server
	// TTL of the session, rounded up to whole seconds, at least 1 s: etcd knows no
	// shorter ones, and may grant a longer one. Default 2 s.
	TTL    time.Duration
	Access *locks.Access // nil: the servers are open to everybody
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	// Patience is how long the library is waited for when the caller's
	// context has ended: it then still takes its place in the queue back, with
	// no time-out of its own. Default 1 s.
	Patience time.Duration
	// Session is the id of the lease of a session that clients share; 0: each has its own.
	Session int64
	// KeepSession goes on with a session that was left in doubt, as a program does that has
	// one session for all its work. The default is to revoke it.
	KeepSession bool
	// OneMutex uses one RWMutex for all calls of a client for a lock, as a program does that
	// keeps it in a field.
	OneMutex bool
}

// etcdPrefix begins the keys: lock N is held by the oldest key below "lock/N/".
const etcdPrefix = "lock/"

// seconds returns the TTL as etcd counts it.
func seconds(ttl time.Duration) int {
	return max(1, int((ttl+time.Second-1)/time.Second))
}

// An EtcdConcurrency is the Mutex of go.etcd.io/etcd/client/v3/concurrency on a
// Session of its own for each client.
//
// Algorithm: a lease that is kept alive; a key below the lock's prefix under
// that lease; the oldest key holds the lock, the others watch their
// predecessors. The token is Mutex.Header().Revision, the revision of the store
// at the grant. Source: etcd's documentation and the library's. Clock: the
// etcd leader's monotonic clock ends the lease; the client's tells its loss.
//
// It does not promise that a holder that is paused or cut off stops before its lease is over:
// the library looks once a second whether a TTL has passed without an answer, so that a loss
// over a silent link is told up to a second late. A release does not say whether the key was
// still there. A key has the name of its session, so that two mutexes of one session both
// acquire, and a request that is carried out late ends a later lease of the same session: a
// session that was left in doubt is therefore revoked and never used again, with all that it
// holds (Lost is closed for each).
type EtcdConcurrency struct {
	cfg    EtcdConfig
	client *clientv3.Client

	mu      sync.Mutex
	session *concurrency.Session // nil: none yet, or the last one was dropped
}

var (
	_ locks.Locker = (*EtcdConcurrency)(nil)
	_ locks.Trier  = (*EtcdConcurrency)(nil)
)

// EtcdConcurrencyTraits returns the lock's traits.
func EtcdConcurrencyTraits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "watch", Renews: true, Token: true, Watched: true,
		Blind:    true, // Unlock does not look at what its delete deleted
		Validity: "session", LeastTTL: time.Second, Model: "fenced",
		// The session's TTL, and what etcd adds: it looks for ended leases
		// twice a second, and gives all of them a new TTL when the leader changes.
		FreeWithin: func(ttl time.Duration) time.Duration {
			return time.Duration(seconds(ttl))*time.Second + 2*time.Second
		},
		Clock: "the etcd leader's monotonic clock",
	}
}

// NewEtcdConcurrency returns a client; it opens its session when it first acquires.
func NewEtcdConcurrency(cfg EtcdConfig) (*EtcdConcurrency, error) {
	if cfg.TTL <= 0 {
		cfg.TTL = 2 * time.Second
	}
	if cfg.Patience <= 0 {
		cfg.Patience = time.Second
	}
	c, err := dialEtcd(cfg)
	if err != nil {
		return nil, err
	}
	return &EtcdConcurrency{cfg: cfg, client: c}, nil
}

// loginTime is after which no login is tried again.
const loginTime = 5 * time.Second

func dialEtcd(cfg EtcdConfig) (*clientv3.Client, error) {
	dial := cfg.Dial
	if dial == nil {
		dial = cfg.Access.DialHTTP2
	}
	user, password := cfg.Access.Login()
	settings := clientv3.Config{
		Username: user, Password: password,
		Endpoints: cfg.Endpoints,
		Logger:    zap.NewNop(), // what it would log is returned as an error, too
		// The library also counts on it for the loss of a session that has
		// not heard one answer yet: told after this and a second (5 s if it is 0).
		DialTimeout:          time.Second,
		DialKeepAliveTime:    10 * time.Second, // the least that gRPC allows
		DialKeepAliveTimeout: 2 * time.Second,
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return dial(ctx, "tcp", addr) }),
			// gRPC's own pauses grow to two minutes; a server is back sooner.
			grpc.WithConnectParams(grpc.ConnectParams{
				MinConnectTimeout: time.Second,
				Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 500 * time.Millisecond},
			}),
		},
	}
	// The library logs in at once, and gives that no longer than it gives a dial.
	for begun := time.Now(); ; {
		c, err := clientv3.New(settings)
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > loginTime {
			return nil, fmt.Errorf("etcd client: %w", err)
		}
	}
}

// Acquire waits until every older key of the lock is gone.
func (e *EtcdConcurrency) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return e.take(ctx, name, (*concurrency.Mutex).Lock)
}

// TryAcquire takes its key back if there is an older one.
func (e *EtcdConcurrency) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return e.take(ctx, name, (*concurrency.Mutex).TryLock)
}

// Close drops the connections. The session ends when its TTL is over.
func (e *EtcdConcurrency) Close() error {
	if err := e.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("close etcd client: %w", err)
	}
	return nil
}
