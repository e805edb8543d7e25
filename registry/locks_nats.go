package registry

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/nats"
)

// natsLocks are the locks in a key-value bucket of NATS JetStream.
func natsLocks() map[string]Backend {
	return map[string]Backend{
		"nats": onNATS("a key with TTL of a JetStream bucket with three replicas, each write on the revision before, the first revision as token",
			func(c nats.Config) locks.Locker { return nats.New(c) }),
		"nats-update": onNATS("nats, renewed with KeyValue.Update of the library, which takes the TTL off the key",
			func(c nats.Config) locks.Locker { return nats.NewUpdated(c) }),
	}
}

// onNATS is a backend on three nats-server.
func onNATS(about string, open func(nats.Config) locks.Locker) Backend {
	return Backend{
		About: about, Topology: "nats-3", Traits: nats.Traits(), Retry: 20 * time.Millisecond,
		ProbeWith: func(c *cluster.Cluster, _ Args) (locks.Prober, error) {
			return nats.NewProbe(nats.Config{Endpoints: c.Endpoints(0)}, "nats"), nil
		},
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			return open(nats.Config{Endpoints: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Clock: a.Clock}), nil
		},
	}
}
