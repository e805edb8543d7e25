//go:build (wasip1 || simulated) && !etcdclients

package main

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/nats"
	"locktorture/locks/redis"
	"locktorture/registry/onredis"
	"locktorture/simulate/inside"
)

// open opens the lock that an open request names.
func open(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	l, err := inside.Order{Backend: o.Backend, Options: o.Options}.Lock()
	if err != nil {
		return nil, err
	}
	return openOnRedis(o.Backend, l, onredis.Args{Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, Options: o.Options})
}

// prober looks at the servers of an order; nil if its lock cannot be seen there.
func prober(o inside.Order, l onredis.Lock, nodes []redis.Node) (locks.Prober, error) {
	switch {
	case o.Cluster() == inside.NATS:
		return nats.NewProbe(o.Endpoints, inside.NATS), nil
	case l.Probe == nil:
		return nil, nil
	}
	return l.Probe(nodes, 0), nil
}
