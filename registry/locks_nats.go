package registry

import (
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/nats"
)

// natsLocks returns the locks in a key-value bucket of NATS JetStream.
func natsLocks() map[string]Backend {
	return map[string]Backend{
		"nats":        onNATS("a key with a TTL in a JetStream bucket with three replicas; each write requires the previous revision, and the first revision is the token"),
		"nats-update": onNATS("nats, but renewed with the library's KeyValue.Update, which removes the TTL of the key"),
	}
}

// onNATS returns a backend on three nats-server.
func onNATS(about string) Backend {
	return Backend{
		About: about, Topology: "nats-3", Traits: nats.Traits(), Retry: 20 * time.Millisecond,
		Modules: []string{"github.com/nats-io/nats.go"}, Program: "nats",
		ProbeWith: func(c *cluster.Cluster, _ Args) (locks.Prober, error) {
			return nats.NewProbe(c.Endpoints(0), "nats"), nil
		},
	}
}
