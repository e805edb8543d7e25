// Package rueidis opens the lock of github.com/redis/rueidis/rueidislock. The client library is
// large and slow to compile, so only the driver of the lock and the guests of simulations import
// it.
package rueidis

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"locktorture/locks/redislib"
)

// New connects with the library's own timeouts and retries.
func New(cfg redislib.Config) (*redislib.Rueidislock, error) {
	cfg = cfg.WithDefaults(0)
	user, password := cfg.Access.Login()
	l, err := rueidislock.NewLocker(rueidislock.LockerOption{
		KeyPrefix: cfg.Prefix + "lock", KeyValidity: cfg.TTL, KeyMajority: 1, NoLoopTracking: true,
		// TryNextAfter limits the wait for the answer about one key. The default, 20 ms, is meant
		// for locks with several keys. Here there is only one, and a waiter whose request takes
		// longer has not registered for a wake-up, and waits for one until its context ends.
		TryNextAfter: cfg.TTL / 2,
		ClientOption: rueidis.ClientOption{
			InitAddress: cfg.Addrs[:1], ForceSingleClient: true, Username: user, Password: password,
			DialCtxFn: func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
				return cfg.Dial(ctx, "tcp", addr)
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("rueidis client: %w", err)
	}
	return redislib.OfContexts(l, l.Client().Close), nil
}
