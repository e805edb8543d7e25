package etcd

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
)

// A Probe asks etcd who holds a lock of this package.
type Probe struct {
	*server
	node string
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of these servers, which answer as one under the
// name node: its reads are linearizable.
func NewProbe(endpoints []string, node string) (*Probe, error) {
	return NewProbeWith(Config{Endpoints: endpoints}, node)
}

// NewProbeWith is NewProbe for servers that are not open to everybody.
func NewProbeWith(cfg Config, node string) (*Probe, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &Probe{s, node}, nil
}

// Probe returns the owner of the oldest key, which is its value or, without one, the last part
// of the key, and what is left of its lease at most, in whole seconds.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	r, err := p.etcd.Get(ctx, prefix(name), clientv3.WithFirstCreate()...)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight := locks.Sight{Node: p.node, Left: -1}
	if len(r.Kvs) == 0 {
		return []locks.Sight{sight}, nil
	}
	sight.Owner = string(r.Kvs[0].Value)
	if sight.Owner == "" {
		sight.Owner = string(r.Kvs[0].Key[len(prefix(name)):])
	}
	t, err := p.etcd.TimeToLive(ctx, clientv3.LeaseID(r.Kvs[0].Lease))
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	// Whole seconds are told, rounded down; a lease that is over has -1.
	sight.Left = max(0, time.Duration(t.TTL)*time.Second)
	return []locks.Sight{sight}, nil
}
