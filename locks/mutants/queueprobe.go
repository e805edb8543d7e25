package mutants

import (
	"context"
	"fmt"
	"net/rpc"

	"locktorture/locks"
)

// A QueueProbe queries a QueueServer for the holder of a lock.
type QueueProbe struct {
	*Queue
	node string
}

// NewQueueProbe returns a probe of the server at addr, which it reports as node.
func NewQueueProbe(addr, node string) *QueueProbe {
	return &QueueProbe{NewQueue(Config{Addrs: []string{addr}}), node}
}

// Probe returns the holder of the lock. Its lease has no expiry.
func (p *QueueProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	c, err := p.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	r := &QueueReply{}
	asked := c.Go("Queue.Holder", QueueCall{Name: name}, r, make(chan *rpc.Call, 1))
	select {
	case <-asked.Done:
		return []locks.Sight{{Node: p.node, Owner: r.Owner, Left: -1}}, asked.Error
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
