package inside

import (
	"fmt"

	"locktorture/locks"
)

// An Own is a lock that the clients bring along, in a program of their own: it is not one of
// Locks.
type Own struct {
	Nodes  int          `json:"nodes"` // Redis servers, each by itself
	Traits locks.Traits `json:"traits"`
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
	return Lock{Nodes: o.Nodes, Traits: o.Traits, Pushes: o.Traits.Wait == pubSub}, nil
}

// pubSub is how those wait to whom the server sends what they have not asked for.
const pubSub = "pub/sub"
