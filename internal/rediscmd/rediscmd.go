// Package rediscmd asks Redis servers by commands alone. The client type of go-redis brings
// its autopipeliner along: whatever package sees the type, or a type that has it in a field,
// compiles some 1,500 methods of it anew, in 2.7 s of processor (go-redis 9.23, Go 1.26). So
// who needs nothing but commands takes this interface.
package rediscmd

import (
	"cmp"
	"context"
	"net"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// A Client sends commands to a server.
type Client interface {
	goredis.Cmdable
	Do(ctx context.Context, args ...any) *goredis.Cmd
	Close() error
}

var _ Client = (*goredis.Client)(nil)

// A Server is where commands go.
type Server struct {
	Addr           string
	User, Password string
	Dial           func(ctx context.Context, network, addr string) (net.Conn, error) // nil: as usual
	Pool           int                                                               // connections; 0: one
	Retries        int                                                               // of a command without an answer
}

// Open makes a client, which connects with its first command. The deadline of a command is
// that of its context.
func Open(s Server) Client {
	retries := s.Retries
	if retries == 0 {
		retries = -1 // else the library has a number of its own
	}
	return goredis.NewClient(&goredis.Options{
		Addr: s.Addr, Username: s.User, Password: s.Password, Dialer: s.Dial, Protocol: 2, DisableIdentity: true,
		MaxRetries: retries, PoolSize: cmp.Or(s.Pool, 1), ContextTimeoutEnabled: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}
