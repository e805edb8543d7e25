package redislib

import (
	"context"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// A Config holds the addresses of the servers and the settings of a client. Only Addrs is required.
type Config struct {
	Addrs []string // host:port of every server, or of the only server if the library uses one
	// TTL is the TTL of a lease. 0 means 2 s.
	TTL   time.Duration
	Owner string // prefix of every owner value, if the library accepts one
	Token string // owner value of every lease; "" means that each lease has a new one

	// Timeout limits the wait for the answer to one request. The default is the library's
	// recommendation.
	Timeout time.Duration
	// Access holds the login and the TLS settings. It is nil if the servers require no login.
	Access *locks.Access
	// Prefix is the prefix of the names of tables.
	Prefix string
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
}

// WithDefaults fills in the zero fields; timeout is the library's default Timeout.
func (c Config) WithDefaults(timeout time.Duration) Config {
	c.TTL, c.Timeout = attempt.OrElse(c.TTL, 2*time.Second), attempt.OrElse(c.Timeout, timeout)
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// Client returns a client of go-redis that retries nothing: a retry would hide a request that may
// still be carried out.
func (c Config) Client(addr string) *goredis.Client {
	o := redisconn.Options(addr, c.Timeout, c.Access, c.Dial)
	o.PoolSize, o.ContextTimeoutEnabled = 0, false // the library's own values
	o.ReadTimeout, o.WriteTimeout = c.Timeout, c.Timeout
	rdb := goredis.NewClient(o)
	rdb.AddHook(doubtHook{})
	return rdb
}

// Value returns Token, or an owner value that was never used before.
func (c Config) Value() (string, error) {
	if c.Token != "" {
		return c.Token, nil
	}
	return attempt.Owner(c.Owner), nil
}

// Failure returns the error of a call. It is certain only if every request was answered.
func (d *Doubt) Failure(err error) error {
	if d.Any() {
		return attempt.Unanswered(err)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
}
