package s3

import (
	"context"
	"fmt"
	"sync"
	"time"

	"locktorture/internal/s3api"
	"locktorture/locks"
)

// A Probe reads the record of a lock. It watches the record of a Lease as a waiter does, and
// reports the lock as free once the record has been unchanged for a TTL since the probe first saw
// it.
type Probe struct {
	node  string
	store *s3api.Store
	// expires reports that the time in the record decides whether the lock is free.
	expires bool

	mu   sync.Mutex
	seen map[string]sight
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of a store, bypassing proxies, under the cluster's name for it.
func NewProbe(cfg Config, node string) *Probe {
	return &Probe{node: node, store: cfg.withDefaults().open(), seen: map[string]sight{}}
}

// NewExpiringProbe returns a probe of locks that NewExpiring makes.
func NewExpiringProbe(cfg Config, node string) *Probe {
	p := NewProbe(cfg, node)
	p.expires = true
	return p
}

// probeTime limits each query.
const probeTime = 200 * time.Millisecond

// Probe returns the owner in the record, and the remaining time.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	r, etag, err := read(ctx, p.store, name)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	s := locks.Sight{Node: p.node, Owner: r.Owner}
	switch {
	case r.Milliseconds == 0:
		s.Left = -1 // a Lock, or a record without an owner
	case p.expires:
		s.Left = time.Until(r.Expires)
	default:
		s.Left = r.ttl() - p.age(name, etag)
	}
	if s.Owner != "" && r.Milliseconds > 0 && s.Left <= 0 {
		s.Owner = "" // the next request is granted
	}
	return []locks.Sight{s}, nil
}

// age returns the time since a record was first seen.
func (p *Probe) age(name, etag string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, ok := p.seen[name]; ok && s.etag == etag {
		return time.Since(s.since)
	}
	p.seen[name] = sight{etag, time.Now()}
	return 0
}

// Close drops the connections.
func (p *Probe) Close() error { return p.store.Close() }
