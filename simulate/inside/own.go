package inside

import (
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/registry/onredis"
	"locktorture/wire/owner"
)

// An Own is a lock that the clients bring along, in a program of their own: it is not one of
// Locks.
type Own struct {
	Nodes  int          `json:"nodes"` // Redis servers, each by itself
	Traits locks.Traits `json:"traits"`
	// Look says how its servers tell who holds it; nil: nobody knows, and they are not looked at.
	Look *owner.Look `json:"look,omitempty"`
}

// lock is what is known of it.
func (o *Own) lock() (onredis.Lock, error) {
	k, ok := locks.KindOf(o.Traits.Kind)
	switch {
	case !ok || !k.Alone:
		return onredis.Lock{}, fmt.Errorf("a %s cannot be simulated: the workloads that can be hold a lock alone", o.Traits.Kind)
	case o.Nodes < 1:
		return onredis.Lock{}, fmt.Errorf("a lock on %d servers cannot be simulated", o.Nodes)
	}
	return onredis.Lock{Nodes: o.Nodes, Traits: o.Traits, Pushes: o.Traits.Wait == pubSub, Probe: o.probe()}, nil
}

// probe makes what looks at its servers; nil if nobody can.
func (o *Own) probe() func([]redis.Node, time.Duration) *redis.Probe {
	if o.Look == nil {
		return nil
	}
	at := redis.NewProbeAt
	if o.Look.Hash {
		at = redis.NewFieldProbeAt
	}
	return func(nodes []redis.Node, timeout time.Duration) *redis.Probe {
		return at(nodes, timeout, func(string) string { return o.Look.Key })
	}
}

// pubSub is how those wait to whom the server sends what they have not asked for.
const pubSub = "pub/sub"
