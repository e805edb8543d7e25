package consul

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"locktorture/locks"
)

// A Probe queries Consul for the holder of a lock. It works for every lock whose key is "lock/N"
// with the owner as its value.
type Probe struct {
	*agent
	node string
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of these servers. It reports them as one node under the given name,
// because its reads are consistent.
func NewProbe(endpoints []string, node string) *Probe {
	return NewProbeWith(Config{Endpoints: endpoints}, node)
}

// NewProbeWith returns a probe for agents that require a token or TLS.
func NewProbeWith(cfg Config, node string) *Probe {
	cfg.Timeout = 500 * time.Millisecond
	return &Probe{newAgent(cfg), node}
}

// Probe returns the owner if the key belongs to a session. Left is negative, because Consul does
// not report the remaining life of a session.
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
