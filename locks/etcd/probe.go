package etcd

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
)

// A Probe queries etcd for the holder of a lock of this package.
type Probe struct {
	*server
	node string
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of these servers. It reports them as one node under the given name,
// because its reads are linearizable.
func NewProbe(endpoints []string, node string) (*Probe, error) {
	return NewProbeWith(Config{Endpoints: endpoints}, node)
}

// NewProbeWith returns a probe for servers that require a login or TLS.
func NewProbeWith(cfg Config, node string) (*Probe, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &Probe{s, node}, nil
}

// Probe returns the owner of the oldest key: its value, or the last part of the key if the
// value is empty. Left is an upper bound, in whole seconds.
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
	// etcd rounds down to whole seconds, and reports -1 for an expired lease.
	sight.Left = max(0, time.Duration(t.TTL)*time.Second)
	return []locks.Sight{sight}, nil
}
