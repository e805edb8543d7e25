package consul

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"locktorture/locks"
)

// A Probe asks Consul who holds a lock. It serves every lock whose key is
// "lock/N" and has the owner as its value.
type Probe struct {
	*agent
	node string
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of these servers, which answer as one under the
// name node: its reads are consistent.
func NewProbe(endpoints []string, node string) *Probe {
	return NewProbeWith(Config{Endpoints: endpoints}, node)
}

// NewProbeWith is NewProbe for agents that are not open to everybody.
func NewProbeWith(cfg Config, node string) *Probe {
	cfg.Timeout = 500 * time.Millisecond
	return &Probe{newAgent(cfg), node}
}

// Probe returns the value of a key that belongs to a session. It does not
// expire as long as that lives, and Consul does not tell how long that will be.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	r, err := p.ask(ctx, http.MethodGet, "kv/"+keyOf(name)+"?consistent", nil, p.cfg.Timeout)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	holder, err := r.holder()
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight := locks.Sight{Node: p.node, Left: -1}
	if holder.Session != "" {
		sight.Owner = string(holder.Value)
	}
	return []locks.Sight{sight}, nil
}

// Close drops the connections.
func (p *Probe) Close() error {
	p.http.CloseIdleConnections()
	return nil
}
