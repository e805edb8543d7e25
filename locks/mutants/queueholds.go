package mutants

import (
	"context"
	"fmt"
	"net/rpc"

	"locktorture/locks"
)

// A QueueHoldsProbe queries a QueueServer for all holders of a lock.
type QueueHoldsProbe struct{ *QueueProbe }

var _ locks.Prober = QueueHoldsProbe{}

// NewQueueHoldsProbe returns a probe of the server at addr, which it reports as node.
func NewQueueHoldsProbe(addr, node string) QueueHoldsProbe {
	return QueueHoldsProbe{NewQueueProbe(addr, node)}
}

// Probe returns all holds of the lock. They have no expiry.
func (p QueueHoldsProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	c, err := p.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	r := &QueueHolders{}
	asked := c.Go("Queue.Holders", QueueCall{Name: name}, r, make(chan *rpc.Call, 1))
	select {
	case <-asked.Done:
		return []locks.Sight{{Node: p.node, Holds: append([]locks.Hold{}, r.Holds...)}}, asked.Error
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// QueueHolders holds the answer of QueueCalls.Holders.
type QueueHolders struct{ Holds []locks.Hold }

// Holders returns all holders of the lock.
func (q *QueueCalls) Holders(a QueueCall, r *QueueHolders) error {
	s := q.session.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.locks[a.Name]; l != nil {
		for _, w := range l.holders {
			r.Holds = append(r.Holds, locks.Hold{Owner: w.owner, Shared: w.shared, Left: -1})
		}
	}
	return nil
}
