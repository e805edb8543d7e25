package inside

import (
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/registry/onredis"
	"locktorture/wire/owner"
)

// An Own is a lock that the clients bring in a program of their own. It is not in Locks.
type Own struct {
	Nodes  int          `json:"nodes"`            // number of independent Redis servers, or of members of a cluster
	Server string       `json:"server,omitempty"` // Etcd or NATS; "": Redis
	Traits locks.Traits `json:"traits"`
	// Look describes the key by which the servers record the holder. It is nil if that key is
	// unknown; then the servers are not probed.
	Look *owner.Look `json:"look,omitempty"`
}

// lock returns the lock in the form of an entry of package onredis.
func (o *Own) lock() (onredis.Lock, error) {
	switch _, ok := locks.KindOf(o.Traits.Kind); {
	case !ok:
		return onredis.Lock{}, fmt.Errorf("there is no kind of lock called %s", o.Traits.Kind)
	case o.Nodes < 1:
		return onredis.Lock{}, fmt.Errorf("a lock on %d servers cannot be simulated", o.Nodes)
	}
	return onredis.Lock{Nodes: o.Nodes, Traits: o.Traits, Pushes: o.Traits.Wait == pubSub, Probe: o.probe()}, nil
}

// probe returns the constructor of the servers' probe; nil if Look is nil.
func (o *Own) probe() func([]redis.Node, time.Duration) locks.Prober {
	if o.Look == nil {
		return nil
	}
	at := redis.NewProbeAt
	if o.Look.Hash {
		at = redis.NewFieldProbeAt
	}
	return func(nodes []redis.Node, timeout time.Duration) locks.Prober {
		return at(nodes, timeout, func(string) string { return o.Look.Key })
	}
}

// OnEtcd returns the names of the locks on etcd that can be simulated. The value of a name tells
// whether the servers are probed for the holder.
func OnEtcd() map[string]bool {
	return map[string]bool{
		"etcd": true, "etcd-api": true, "etcd-concurrency": true, "etcd-election": true, "etcd-put": true,
		"etcd-rw": false, "etcd-barrier": false, "etcd-double-barrier": false,
	}
}

// OnNATS returns the names of the locks on NATS that can be simulated.
func OnNATS() []string { return []string{"nats", "nats-update"} }

// Cluster returns the kind of the servers of the order if they are a cluster, and "" otherwise.
func (o Order) Cluster() string {
	if o.Own == nil {
		return ""
	}
	return o.Own.Server
}

// Looked reports whether the servers of the order are a cluster that is probed as a whole.
func (o Order) Looked() bool {
	return o.Cluster() == NATS || o.Cluster() == Etcd && OnEtcd()[o.Backend]
}

// pubSub is the Traits.Wait of locks whose waiters the server notifies.
const pubSub = "pub/sub"
