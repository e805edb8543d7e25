package control

import (
	"context"
	"fmt"
	"net/url"

	"locktorture/locks"
)

// A LocalProbe asks a LocalServer who holds a lock.
type LocalProbe struct {
	local *Local
	node  string
}

var _ locks.Prober = (*LocalProbe)(nil)

// NewLocalProbe returns a probe of the server, over a connection of its own.
// node is the name under which it reports the server.
func NewLocalProbe(addr, node string) *LocalProbe {
	return &LocalProbe{local: NewLocal(LocalConfig{Addr: addr}), node: node}
}

// Probe returns the holder of the lock. A lease there never expires.
func (p *LocalProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	s, err := p.local.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	words, err := s.call(ctx, 0, p.local.last.Add(1), "owner", url.QueryEscape(name))
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight := locks.Sight{Node: p.node, Left: -1}
	if len(words) == 3 && words[0] == "owner" {
		if sight.Owner, err = url.QueryUnescape(words[1]); err != nil {
			return nil, fmt.Errorf("probe %s: %w", p.node, err)
		}
	}
	return []locks.Sight{sight}, nil
}

// Close ends the probe's connection.
func (p *LocalProbe) Close() error { return p.local.Close() }
