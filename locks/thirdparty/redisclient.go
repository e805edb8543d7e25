package thirdparty

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"locktorture/locks"
)

// A RedisConfig says where the servers are. Only Addrs is needed.
type RedisConfig struct {
	Addrs []string      // host:port of every server; of one where the library uses one
	TTL   time.Duration // of a lease; default 2 s
	Owner string        // begins every owner value, where the library takes one
	Token string        // the owner value of every lease, if not one of its own for each

	// Timeout is how long the answer to one request is waited for; the default
	// is each library's own advice.
	Timeout time.Duration
	Access  *locks.Access // nil: the servers are open to everybody
	Prefix  string        // of all keys, where the library makes them of more than a name
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (c RedisConfig) withDefaults(timeout time.Duration) RedisConfig {
	if c.TTL <= 0 {
		c.TTL = 2 * time.Second
	}
	if c.Timeout <= 0 {
		c.Timeout = timeout
	}
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// client is one client of go-redis that retries nothing: a retry would hide a
// request that may still be carried out.
func (c RedisConfig) client(addr string) *goredis.Client {
	user, password := c.Access.Login()
	rdb := goredis.NewClient(&goredis.Options{
		Username: user, Password: password,
		Addr: addr, Dialer: c.Dial, Protocol: 2, DisableIdentity: true,
		MaxRetries: -1, DialerRetries: 1, PipelinePoolSize: -1,
		DialTimeout: c.Timeout, ReadTimeout: c.Timeout, WriteTimeout: c.Timeout,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	rdb.AddHook(doubtHook{})
	return rdb
}

// value makes an owner value that nobody ever used, or returns Token.
func (c RedisConfig) value() (string, error) {
	if c.Token != "" {
		return c.Token, nil
	}
	return c.Owner + ":" + rand.Text(), nil
}

// failure is certain only if every request was answered.
func (d *doubt) failure(err error) error {
	if d.any() {
		return fmt.Errorf("acquire was not answered: %w", err)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
}
