package main

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/mysql"
	"locktorture/locks/postgres"
	"locktorture/locks/redis"
)

// redisWatchdog has the option "period": the time between two renewals.
func redisWatchdog() backend {
	b := onRedis("redis-set, renewed every TTL/3 while it is held", redis.WatchdogTraits(), nil)
	b.Open = func(_ context.Context, a lockArgs) (locks.Locker, error) {
		period, err := a.duration("period")
		if err != nil {
			return nil, err
		}
		timeout, err := a.duration("timeout")
		if err != nil {
			return nil, err
		}
		return redis.NewWatchdogEvery(redis.Config{Addr: a.Endpoints[0], TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, Timeout: timeout}, period), nil
	}
	return b
}

// mysqlPooled has the option "pooled": GET_LOCK and RELEASE_LOCK go through a pool.
func mysqlPooled(b backend) backend {
	return pooledBy(b, func(a lockArgs) locks.Locker { return mysql.NewGetLockPooled(mysqlConfig(a, a.Endpoints[0])) })
}

// postgresPooled has the same option.
func postgresPooled(b backend) backend {
	return pooledBy(b, func(a lockArgs) locks.Locker {
		return postgres.NewAdvisoryPooled(postgres.Config{Addr: a.Endpoints[0], Owner: a.Owner, Access: a.Access})
	})
}

func pooledBy(b backend, pooled func(a lockArgs) locks.Locker) backend {
	pinned := b.Open
	b.Open = func(ctx context.Context, a lockArgs) (locks.Locker, error) {
		if a.Options["pooled"] == "true" {
			return pooled(a), nil
		}
		return pinned(ctx, a)
	}
	return b
}
