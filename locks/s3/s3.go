// Package s3 holds locks in an object store, by conditional requests.
//
// A lock named N is the object "lock:N" of a bucket: a record in JSON with the owner and, for
// leases, the data that waiters need. Owner values begin with Config.Owner and are unique to one
// call of Acquire. The locks rely on one property: the store executes a put with If-None-Match or
// If-Match as one step. torture conform s3 tests that.
package s3

import (
	"context"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"time"

	"locktorture/internal/s3api"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config holds the address of the store and the settings of a client. Only Addr is required.
type Config struct {
	// Addr is the host:port of the server.
	Addr string
	// Bucket must exist. "" means the bucket of torture's own servers.
	Bucket string
	// Region is the region of the bucket. "" means us-east-1.
	Region string
	TTL    time.Duration
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string

	// Retry is the shortest pause between two tries of a waiter; the longest is twice that.
	// Default 10 ms.
	Retry time.Duration
	// Timeout bounds the wait for the answer to one request. Default 1 s.
	Timeout time.Duration
	// Grace is the time by which a request may outlive the caller's deadline, so that its outcome
	// is known. Default 100 ms.
	Grace time.Duration

	// Access holds the access key as user, the secret key as password and the bucket as
	// database. nil means those of torture's own servers.
	Access *locks.Access
	// Clock is the clock for waits and ends of validity. nil means the host's clock.
	Clock locks.Clock
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	// Rand is the source of random pauses. nil means a source that the system seeds.
	Rand *mrand.Rand
}

// withDefaults fills in the defaults that the documentation of Config names.
func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 30*time.Second)
	c.Retry = attempt.OrElse(c.Retry, 10*time.Millisecond)
	c.Timeout = attempt.OrElse(c.Timeout, time.Second)
	c.Grace = attempt.OrElse(c.Grace, 100*time.Millisecond)
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// open makes the connections of a client.
func (c Config) open() *s3api.Store {
	to := s3api.Config{Addr: c.Addr, Bucket: c.Access.InDatabase(c.Bucket), Region: c.Region, Dial: c.Dial}
	to.Key, to.Secret = c.Access.Login()
	if c.Access != nil && c.Access.TLS != nil {
		to.TLS, to.Host = true, c.Access.Names[c.Addr]
	}
	return s3api.Open(to)
}

// A client holds the state that the locks of this package share.
type client struct {
	cfg   Config
	store *s3api.Store
	terms *attempt.Terms
}

// newClient makes a client. It opens no connection: the first request does.
func newClient(cfg Config) *client {
	cfg = cfg.withDefaults()
	return &client{cfg, cfg.open(), &attempt.Terms{
		Timeout: cfg.Timeout, Grace: cfg.Grace, Certain: certain, Clock: cfg.Clock,
		Pause: attempt.Pauses(cfg.Retry, cfg.Retry, cfg.Rand),
	}}
}

// certain reports whether an error proves that nothing was changed. An error of the read before the
// put is certain, too.
func certain(err error) bool { return attempt.NotSent(err) || s3api.Certain(err) }

// Close drops the connections.
func (c *client) Close() error { return c.store.Close() }

// get reads the record of a lock; a zero record and "" if there is none.
func (c *client) get(ctx context.Context, name string) (record, string, error) {
	ctx, cancel := c.terms.Request(ctx)
	defer cancel()
	return read(ctx, c.store, name)
}

// read returns the record of a lock and its ETag. Both are empty if the object does not exist.
func read(ctx context.Context, store *s3api.Store, name string) (record, string, error) {
	o, err := store.Get(ctx, objectKey(name))
	if s3api.Absent(err) {
		return record{}, "", nil
	}
	if err != nil {
		return record{}, "", err
	}
	r, err := parse(o.Body)
	if err != nil {
		return record{}, "", fmt.Errorf("object %s: %w", objectKey(name), err)
	}
	return r, o.ETag, nil
}

func objectKey(name string) string { return locks.Key("lock:", name) }
