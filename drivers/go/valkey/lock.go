package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/valkey-io/valkey-go"
	"github.com/valkey-io/valkey-go/valkeylock"

	"locktorture/locks"
	"locktorture/locks/redislib"
)

// A Valkeylock is github.com/valkey-io/valkey-go/valkeylock on one Redis or Valkey: a fork of
// rueidislock, over a fork of its client. Their versions 1.0.79 differ in names only, and all
// that is said of Rueidislock holds for it.
//
// Source: the library. Clock: the client's wall clock says when the key expires, the server's
// when that is.
type Valkeylock struct{ *redislib.Rueidislock }

var (
	_ locks.Locker = (*Valkeylock)(nil)
	_ locks.Trier  = (*Valkeylock)(nil)
)

// NewValkeylock connects, with the settings of NewRueidislock.
func NewValkeylock(cfg redislib.Config) (*Valkeylock, error) {
	cfg = cfg.WithDefaults(0)
	user, password := cfg.Access.Login()
	l, err := valkeylock.NewLocker(valkeylock.LockerOption{
		KeyPrefix: cfg.Prefix + "lock", KeyValidity: cfg.TTL, KeyMajority: 1, NoLoopTracking: true, TryNextAfter: cfg.TTL / 2,
		ClientOption: valkey.ClientOption{
			InitAddress: cfg.Addrs[:1], ForceSingleClient: true, Username: user, Password: password,
			DialCtxFn: func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
				return cfg.Dial(ctx, "tcp", addr)
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("valkey client: %w", err)
	}
	return &Valkeylock{redislib.OfContexts(l, l.Client().Close)}, nil
}
