// Package thirdparty holds adapters to widely used lock libraries, unmodified. An adapter converts
// the library's errors to those of package locks and has no lock logic of its own.
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

// An EtcdConfig holds the addresses of the etcd servers and the settings of a client. Only
// Endpoints is required.
type EtcdConfig struct {
	// Endpoints lists the host:port of every server.
	Endpoints []string
	// TTL is the TTL of the session. It is rounded up to whole seconds, at least 1 s, because
	// etcd has no shorter leases; etcd may grant a longer one. Default 2 s.
	TTL time.Duration
	// Access holds the login and the TLS settings. It is nil if the servers require no login.
	Access *locks.Access
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	// Patience is the time for which the client waits for the library once the caller's context has
	// ended. The library then leaves the queue, without a timeout of its own. Default 1 s.
	Patience time.Duration
	// Session is the id of the lease of a session that several clients share. 0 means that
	// each client has its own session.
	Session int64
	// KeepSession keeps using a session that was left in doubt, as a program with one session for
	// all its work does. By default such a session is revoked.
	KeepSession bool
	// RetryUnlock repeats an Unlock without an answer in the background until one is answered, as a
	// program's deferred clean-up does.
	RetryUnlock bool
	// OneMutex uses one RWMutex for all calls of a client for a lock, as a program that keeps it in
	// a field does.
	OneMutex bool
}

// etcdPrefix is the prefix of the keys. The oldest key below "lock/N/" holds lock N.
const etcdPrefix = "lock/"

// seconds rounds a TTL up to whole seconds, as etcd requires.
func seconds(ttl time.Duration) int {
	return max(1, int((ttl+time.Second-1)/time.Second))
}

// An EtcdConcurrency is the Mutex of go.etcd.io/etcd/client/v3/concurrency, with one Session for
// each client.
//
// Algorithm: a lease that is kept alive, and a key below the lock's prefix under that lease. The
// oldest key holds the lock; the others watch their predecessors. The token is
// Mutex.Header().Revision, the revision of the store at the grant. Source: etcd's documentation and
// the library's. Clock: the etcd leader's monotonic clock ends the lease; the client's clock
// reports its loss.
//
// It does not promise that a holder that is paused or cut off stops before its lease is over: the
// library checks once a second whether a TTL has passed without an answer, so it reports a loss
// over a silent link up to a second late. A release does not report whether the key was still
// there. A key is named after its session. So two mutexes of one session both acquire, and a late
// request ends a later lease of the same session. A session that was left in doubt is therefore
// revoked with all its locks and never used again (Lost is closed for each).
type EtcdConcurrency struct {
	cfg    EtcdConfig
	client *clientv3.Client

	mu sync.Mutex
	// session is nil before the first lock and after a drop.
	session *concurrency.Session
}

var (
	_ locks.Locker = (*EtcdConcurrency)(nil)
	_ locks.Trier  = (*EtcdConcurrency)(nil)
)

// EtcdConcurrencyTraits returns the lock's traits.
func EtcdConcurrencyTraits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "watch", Renews: true, Token: true, Watched: true,
		Blind:    true, // Unlock ignores whether its delete found a key
		Validity: "session", LeastTTL: time.Second, Model: "fenced",
		// The session's TTL plus the time that etcd adds: it looks for expired leases twice a
		// second, and gives all of them a new TTL when the leader changes.
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

// loginTime is the time after which a login is not repeated.
const loginTime = 5 * time.Second

// dialEtcd makes a client of the servers.
func dialEtcd(cfg EtcdConfig) (*clientv3.Client, error) {
	dial := cfg.Dial
	if dial == nil {
		dial = cfg.Access.DialHTTP2
	}
	user, password := cfg.Access.Login()
	settings := clientv3.Config{
		Username: user, Password: password,
		Endpoints: cfg.Endpoints,
		Logger:    zap.NewNop(), // each error is also returned
		// The library also uses DialTimeout to detect the loss of a session that has had no
		// answer yet: it reports the loss after this time plus a second (5 s if the time is
		// 0).
		DialTimeout:          time.Second,
		DialKeepAliveTime:    10 * time.Second, // the least that gRPC allows
		DialKeepAliveTimeout: 2 * time.Second,
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return dial(ctx, "tcp", addr) }),
			// gRPC's own back-off grows to two minutes; a server is back sooner.
			grpc.WithConnectParams(grpc.ConnectParams{
				MinConnectTimeout: time.Second,
				Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 500 * time.Millisecond},
			}),
		},
	}
	// The library logs in when it is created, with the same time limit as for a dial.
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

// TryAcquire removes its key again if there is an older one.
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
