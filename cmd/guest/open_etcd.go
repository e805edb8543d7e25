//go:build simulated && etcdclients

package main

import (
	"context"
	"fmt"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/etcd"
	"locktorture/locks/redis"
	"locktorture/locks/thirdparty"
	"locktorture/registry/onredis"
	"locktorture/simulate/inside"
)

// open opens the lock on etcd that an open request names. Programs with these clients are programs of
// their own, so that those on Redis stay what they are.
func open(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	own := etcd.Config{Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock}
	library := thirdparty.EtcdConfig{Endpoints: o.Endpoints, TTL: o.TTL, KeepSession: o.Options["session"] == "kept", RetryUnlock: o.Options["unlock"] == "retried"}
	switch o.Backend {
	case "etcd":
		return etcd.New(own)
	case "etcd-put":
		return etcd.NewPut(own)
	case "etcd-api":
		return etcd.NewAPI(own)
	case "etcd-concurrency":
		return thirdparty.NewEtcdConcurrency(library)
	case "etcd-election":
		return thirdparty.NewEtcdElection(library)
	case "etcd-rw":
		return thirdparty.NewEtcdRW(library)
	case "etcd-barrier":
		return thirdparty.NewEtcdBarrier(library)
	case "etcd-double-barrier":
		return thirdparty.NewEtcdDoubleBarrier(library)
	}
	return nil, fmt.Errorf("%s is no lock on etcd that can be simulated", o.Backend)
}

// prober looks at the cluster of an order as a whole; nil if its lock cannot be seen there.
func prober(o inside.Order, _ onredis.Lock, _ []redis.Node) (locks.Prober, error) {
	if !inside.OnEtcd()[o.Backend] {
		return nil, nil
	}
	switch o.Backend {
	case "etcd-concurrency", "etcd-election":
		return thirdparty.NewEtcdProbeWith(thirdparty.EtcdConfig{Endpoints: o.Endpoints}, "etcd")
	}
	return etcd.NewProbeWith(etcd.Config{Endpoints: o.Endpoints}, "etcd")
}
