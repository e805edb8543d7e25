package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/registry"
	"locktorture/scenarios"
	"locktorture/trial"
)

// A clusterPool keeps servers for the next scenario of the same topology.
type clusterPool struct {
	servers serverSpec
	kept    map[string]*pooled
	shown   int // lock names given out
}

// A pooled cluster was started for a run whose directory has its logs.
type pooled struct {
	*cluster.Cluster
	why string
	run string // name of the run that started it
}

// errNotServed says that nothing here can serve a topology.
var errNotServed = errors.New("cannot be served here")

// get returns servers for a case, started at need for that run.
func (p *clusterPool) get(ctx context.Context, b registry.Backend, sc scenarios.Scenario, c scenarios.Case, d *trial.Dir) (trial.Servers, error) {
	k, err := p.find(ctx, b, sc, c, d)
	if err != nil {
		return trial.Servers{}, err
	}
	why := k.why
	if k.run != d.Name && len(k.Nodes) > 0 {
		why += "; started for " + k.run + ", which has their logs"
	}
	return trial.Servers{Cluster: k.Cluster, Why: why, Leave: func(failed bool) error {
		if !failed {
			return nil
		}
		return p.drop(k)
	}}, nil
}

func (p *clusterPool) find(ctx context.Context, b registry.Backend, sc scenarios.Scenario, c scenarios.Case, d *trial.Dir) (*pooled, error) {
	topology := b.Topology
	switch {
	case c.Topology != "":
		topology = c.Topology
	case c.Replicated && b.Replicated != "":
		topology = b.Replicated
	case b.Serve != nil:
		topology = c.Backend
	}
	key := fmt.Sprint(topology, sc.Parties(), arguments(c.Servers))
	if k := p.kept[key]; k != nil {
		return k, nil
	}
	s, why, err := p.servers.Start(ctx, b, cluster.Config{Topology: topology, Clients: sc.Parties(), Dir: d.Path, Args: c.Servers})
	if no := new(registry.NotServedError); errors.As(err, &no) {
		return nil, fmt.Errorf("%w: %w", errNotServed, err)
	}
	if err != nil {
		return nil, broken(err)
	}
	return p.keep(key, &pooled{s, why, d.Name}), nil
}

func arguments(m map[string][]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+strings.Join(m[k], " "))
	}
	return strings.Join(out, ";")
}

func (p *clusterPool) keep(key string, k *pooled) *pooled {
	if p.kept == nil {
		p.kept = map[string]*pooled{}
	}
	p.kept[key] = k
	return k
}

// lock returns a lock name that no run of this pool has used.
func (p *clusterPool) lock(scenario string) string {
	p.shown++
	if p.shown == 1 {
		return scenario
	}
	return fmt.Sprintf("%s.%d", scenario, p.shown)
}

// drop stops servers whose state is in doubt.
func (p *clusterPool) drop(k *pooled) error {
	maps.DeleteFunc(p.kept, func(_ string, o *pooled) bool { return o == k })
	return k.Close()
}

// close stops all servers.
func (p *clusterPool) close() error {
	var errs []error
	for _, k := range p.kept {
		errs = append(errs, k.Close())
	}
	p.kept = nil
	return errors.Join(errs...)
}
