package control

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"locktorture/locks"
)

// A LocalProbe queries a LocalServer for the holder of a lock.
type LocalProbe struct {
	local *Local
	node  string
}

var _ locks.Prober = (*LocalProbe)(nil)

// NewLocalProbe returns a probe with a connection of its own. It reports the server under the
// name node.
func NewLocalProbe(addr, node string) *LocalProbe {
	return &LocalProbe{local: NewLocal(LocalConfig{Addr: addr}), node: node}
}

// Probe returns the holder of the lock. Its lease has no expiry.
func (p *LocalProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	owner, _, err := p.local.holder(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	return []locks.Sight{{Node: p.node, Left: -1, Owner: owner}}, nil
}

// holder asks the server for the owner and the token of a lock: "" and 0 if it is free.
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

// Close drops the probe's connection.
func (p *LocalProbe) Close() error { return p.local.Close() }
