package redis

import (
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/redisconn"
)

// clusterReload is the interval at which a client reads the layout of its cluster. With the
// library's default of a minute, the client would keep asking a dead primary for that long.
const clusterReload = 300 * time.Millisecond

// NewCluster returns a Set on a Redis Cluster: the lock lives on the primary of its key's
// slot. A redirection counts as a certain refusal, and the next try follows it. Config.Addr is
// not used.
//
// Source: go-redis' cluster client; redis.io, "Redis cluster specification". Clock: as Set, by
// the wall clock of the present primary.
//
// It does not promise that a lease survives a fail-over, because replication is asynchronous
// ("write safety" in the specification). Otherwise it promises the same as Set.
func NewCluster(cfg Config, routes []Route) *Set {
	cfg = cfg.withDefaults()
	o := options(cfg)
	rdb := goredis.NewClusterClient(&goredis.ClusterOptions{
		Addrs: announced(routes, "redis"), Dialer: redisconn.Accounted(via(routes, cfg.Dial)),
		MaxRedirects: -1, ClusterStateReloadInterval: clusterReload,
		Username: o.Username, Password: o.Password,
		Protocol: o.Protocol, DisableIdentity: o.DisableIdentity, MaxRetries: o.MaxRetries, DialerRetries: o.DialerRetries,
		DialTimeout: o.DialTimeout, PoolSize: o.PoolSize, PipelinePoolSize: o.PipelinePoolSize,
		ContextTimeoutEnabled: true, ReadTimeout: 2 * cfg.Timeout, WriteTimeout: 2 * cfg.Timeout,
		MaintNotificationsConfig: o.MaintNotificationsConfig,
	})
	return setOf(serverOf(cfg, rdb))
}

// ClusterTraits returns the lock's traits.
func ClusterTraits() locks.Traits { return SentinelTraits() }
