package inside

import (
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
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
func (o *Own) lock() (Lock, error) {
	k, ok := locks.KindOf(o.Traits.Kind)
	switch {
	case !ok || !k.Alone:
		return Lock{}, fmt.Errorf("a %s cannot be simulated: the workloads that can be hold a lock alone", o.Traits.Kind)
	case o.Nodes < 1:
		return Lock{}, fmt.Errorf("a lock on %d servers cannot be simulated", o.Nodes)
	}
	return Lock{Nodes: o.Nodes, Traits: o.Traits, Pushes: o.Traits.Wait == pubSub, Probe: o.probe()}, nil
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

// Unseen says what nobody can see of a lock on whose servers nobody looks; "" if somebody
// does.
func (l Lock) Unseen() string {
	if l.Probe != nil {
		return ""
	}
	return "not looked at: the servers, so that an orphan or a lock that is renewed for ever is not seen, and a release of another's lease only by what clients say"
}

// pubSub is how those wait to whom the server sends what they have not asked for.
const pubSub = "pub/sub"
