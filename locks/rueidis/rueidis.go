// Package rueidis opens the lock of github.com/redis/rueidis/rueidislock. Its client is large and
// slow to compile, so that only the driver of the lock and the guests of simulations have it.
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

// New connects, with the library's own time-outs and retries.
func New(cfg redislib.Config) (*redislib.Rueidislock, error) {
	cfg = cfg.WithDefaults(0)
	user, password := cfg.Access.Login()
	l, err := rueidislock.NewLocker(rueidislock.LockerOption{
		KeyPrefix: cfg.Prefix + "lock", KeyValidity: cfg.TTL, KeyMajority: 1, NoLoopTracking: true,
		// How long one key's answer is waited for. The default, 20 ms, is meant for the
		// next of several keys: there is none here, and a waiter whose request
		// takes longer has asked for no wake-up and waits for one until it gives up.
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
