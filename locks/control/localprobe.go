package control

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

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
	owner, _, err := p.local.holder(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	return []locks.Sight{{Node: p.node, Left: -1, Owner: owner}}, nil
}

// holder asks the server who has a lock, and under which token: "" and 0 if nobody has.
func (l *Local) holder(ctx context.Context, name string) (owner string, token uint64, err error) {
	s, err := l.connect(ctx)
	if err != nil {
		return "", 0, err
	}
	words, err := s.call(ctx, 0, l.last.Add(1), "owner", url.QueryEscape(name))
	if err != nil || len(words) != 3 || words[0] != "owner" {
		return "", 0, err
	}
	if owner, err = url.QueryUnescape(words[1]); err != nil {
		return "", 0, err
	}
	token, err = strconv.ParseUint(words[2], 10, 64)
	return owner, token, err
}

// Close ends the probe's connection.
func (p *LocalProbe) Close() error { return p.local.Close() }
