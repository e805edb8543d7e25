package redis

import (
	"context"
	"net"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/redisconn"
)

// NewSentinel returns a Set on a primary that sentinels watch and replace. The client asks the
// sentinels for the primary when it connects, and they notify it of a change. Config.Addr is not
// used.
//
// Source: go-redis' failover client; redis.io, "Sentinel client spec". Clock: as Set, by the
// wall clock of the present primary.
//
// It does not promise that a lease survives a fail-over: a replica without the lease may be
// promoted, and a primary that was cut off keeps granting to clients that still reach it. Otherwise
// it promises the same as Set.
func NewSentinel(cfg Config, master string, routes []Route) *Set {
	cfg = cfg.withDefaults()
	o := options(cfg)
	var user, password string
	if cfg.Access != nil && cfg.Access.SentinelAsks {
		user, password = cfg.Access.Login()
	}
	rdb := goredis.NewFailoverClient(&goredis.FailoverOptions{
		Username: o.Username, Password: o.Password, SentinelUsername: user, SentinelPassword: password,
		MasterName: master, SentinelAddrs: announced(routes, "sentinel"), Dialer: via(routes, cfg.Dial),
		Protocol: o.Protocol, DisableIdentity: o.DisableIdentity, MaxRetries: o.MaxRetries, DialerRetries: o.DialerRetries,
		DialTimeout: o.DialTimeout, PoolSize: o.PoolSize, PipelinePoolSize: o.PipelinePoolSize,
		// The deadlines also end requests to sentinels, which have no timeout of their own.
		ContextTimeoutEnabled: true, ReadTimeout: 2 * cfg.Timeout, WriteTimeout: 2 * cfg.Timeout,
	})
	rdb.AddHook(accounting{})
	return setOf(serverOf(cfg, rdb))
}

// SentinelTraits returns the lock's traits.
func SentinelTraits() locks.Traits {
	t := SetTraits()
	t.Clock = "the wall clock of the primary of the moment"
	return t
}

// An accounting hook wraps new connections, so that their errors report whether anything was
// sent, even if no sentinel could be reached.
type accounting struct{}

var _ goredis.Hook = accounting{}

// DialHook wraps new connections.
func (accounting) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		return redisconn.Accounted(redisconn.DialFunc(next))(ctx, network, addr)
	}
}

// ProcessHook does nothing.
func (accounting) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

// ProcessPipelineHook does nothing.
func (accounting) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}
