package thirdparty

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
)

// An EtcdProbe queries etcd for the holder of a lock of EtcdConcurrency.
type EtcdProbe struct {
	client *clientv3.Client
	node   string
}

var _ locks.Prober = (*EtcdProbe)(nil)

// NewEtcdProbe returns a probe of these servers. It reports them as one node, because its reads are
// linearizable.
func NewEtcdProbe(endpoints []string, node string) (*EtcdProbe, error) {
	return NewEtcdProbeWith(EtcdConfig{Endpoints: endpoints}, node)
}

// NewEtcdProbeWith returns a probe for servers that require a login or TLS.
func NewEtcdProbeWith(cfg EtcdConfig, node string) (*EtcdProbe, error) {
	c, err := dialEtcd(cfg)
	if err != nil {
		return nil, err
	}
	return &EtcdProbe{client: c, node: node}, nil
}

// Probe returns the owner (see etcdLease.Owner) of the oldest key and its remaining TTL, in whole
// seconds.
func (p *EtcdProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	prefix := locks.Key(etcdPrefix, name) + "/"
	r, err := p.client.Get(ctx, prefix, clientv3.WithFirstCreate()...)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight := locks.Sight{Node: p.node, Left: -1}
	if len(r.Kvs) == 0 {
		return []locks.Sight{sight}, nil
	}
	sight.Owner = ownerOf(r.Kvs[0].Lease, r.Kvs[0].CreateRevision)
	t, err := p.client.TimeToLive(ctx, clientv3.LeaseID(r.Kvs[0].Lease))
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight.Left = max(0, time.Duration(t.TTL)*time.Second)
	return []locks.Sight{sight}, nil
}

// Close drops the connections.
func (p *EtcdProbe) Close() error { return p.client.Close() }
