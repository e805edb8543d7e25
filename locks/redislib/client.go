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

// A Config says where the servers are. Only Addrs is needed.
type Config struct {
	Addrs []string      // host:port of every server; of one where the library uses one
	TTL   time.Duration // of a lease; default 2 s
	Owner string        // prefix of every owner value, where the library takes one
	Token string        // the owner value of every lease, if not one of its own for each

	// Timeout is how long the answer to one request is waited for; the default
	// is each library's own advice.
	Timeout time.Duration
	Access  *locks.Access // nil: the servers are open to everybody
	Prefix  string        // of all keys, where the library makes them of more than a name
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
}

// WithDefaults fills in defaults; timeout is the default Timeout of the library.
func (c Config) WithDefaults(timeout time.Duration) Config {
	c.TTL, c.Timeout = attempt.OrElse(c.TTL, 2*time.Second), attempt.OrElse(c.Timeout, timeout)
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// Client returns one client of go-redis that retries nothing: a retry would hide a request that
// may still be carried out.
func (c Config) Client(addr string) *goredis.Client {
	o := redisconn.Options(addr, c.Timeout, c.Access, c.Dial)
	o.PoolSize, o.ContextTimeoutEnabled = 0, false // the library's own
	o.ReadTimeout, o.WriteTimeout = c.Timeout, c.Timeout
	rdb := goredis.NewClient(o)
	rdb.AddHook(doubtHook{})
	return rdb
}

// Value returns an owner value that was never used before, or returns Token.
func (c Config) Value() (string, error) {
	if c.Token != "" {
		return c.Token, nil
	}
	return attempt.Owner(c.Owner), nil
}

// Failure is certain only if every request was answered.
func (d *Doubt) Failure(err error) error {
	if d.Any() {
		return attempt.Unanswered(err)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
}
