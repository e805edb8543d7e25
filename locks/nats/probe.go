package nats

import (
	"context"
	"fmt"
	"time"

	"locktorture/locks"
)

// A Probe asks the leader of the bucket for the record of a lock. It speaks for all servers.
type Probe struct {
	*client
	node string
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of servers, past all proxies, that together are called node.
func NewProbe(cfg Config, node string) *Probe { return &Probe{newClient(cfg), node} }

// probeTime bounds each question.
const probeTime = 200 * time.Millisecond

// Probe returns what the leader says of the lock.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	if err := p.connect(ctx); err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	l, err := p.look(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	s := locks.Sight{Node: p.node, Owner: l.Owner, Left: -1}
	if l.Milliseconds > 0 {
		// It is free when the server has taken it out, which may be later.
		s.Left = max(0, time.Until(l.written.Add(time.Duration(l.Milliseconds)*time.Millisecond)))
	}
	return []locks.Sight{s}, nil
}
