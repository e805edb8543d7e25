package play

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/harness"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// A pooled is a cluster that was started for a run, whose directory has its logs.
type pooled struct {
	*cluster.Cluster
	why string
	run string // the run that started it
}

// alive reports whether no server has ended by itself, as PgBouncer does after some cancelled queries.
func (k *pooled) alive(ctx context.Context) bool {
	return !slices.ContainsFunc(k.Nodes, func(n cluster.Node) bool {
		w, ok := n.(harness.Watched)
		return ok && w.Look(ctx) != nil
	})
}

// ErrNotServed reports that no provisioner here can serve a topology.
var ErrNotServed = errors.New("cannot be served here")

// get returns servers for a play. If necessary, it starts them for that run.
func (p *Player) get(ctx context.Context, b registry.Backend, c Play, d *trial.Dir) (trial.Servers, error) {
	k, err := p.find(ctx, b, c, d)
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

// topologyOf returns the topology that a play needs.
func topologyOf(b registry.Backend, c Play) string {
	switch {
	case c.Case.Topology != "":
		return c.Case.Topology
	case c.Case.Replicated && b.Replicated != "":
		return b.Replicated
	case b.Serve != nil:
		return c.Case.Backend
	}
	return b.Topology
}

// Topologies returns the topologies that plays need.
func Topologies(plays []Play, locks map[string]registry.Backend) (topologies []string) {
	for _, c := range plays {
		if b, ok := locks[c.Case.Backend]; ok && b.Serve == nil {
			topologies = append(topologies, topologyOf(b, c))
		}
	}
	return topologies
}

func (p *Player) find(ctx context.Context, b registry.Backend, c Play, d *trial.Dir) (*pooled, error) {
	topology := topologyOf(b, c)
	key := fmt.Sprint(topology, c.Parties(), arguments(c.Case.Servers))
	if k := p.kept[key]; k != nil {
		if k.alive(ctx) {
			return k, nil
		}
		if err := p.drop(k); err != nil {
			return nil, exit.Broken(err)
		}
	}
	s, why, err := p.Servers.Start(ctx, b, cluster.Config{Topology: topology, Clients: c.Parties(), Dir: d.Path, Args: c.Case.Servers})
	if no := new(registry.NotServedError); errors.As(err, &no) {
		return nil, fmt.Errorf("%w: %w", ErrNotServed, err)
	}
	if err != nil {
		return nil, exit.Broken(err)
	}
	k := &pooled{s, why, d.Name}
	p.kept[key] = k
	return k, nil
}

func arguments(m map[string][]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+strings.Join(m[k], " "))
	}
	return strings.Join(out, ";")
}

// lock returns the name of a lock that no run of this player has used.
func (p *Player) lock(scenario string) string {
	p.shown++
	if p.shown == 1 {
		return scenario
	}
	return fmt.Sprintf("%s.%d", scenario, p.shown)
}

// drop stops servers whose state is uncertain.
func (p *Player) drop(k *pooled) error {
	maps.DeleteFunc(p.kept, func(_ string, o *pooled) bool { return o == k })
	return k.Close()
}

// Close stops all servers.
func (p *Player) Close() error {
	var errs []error
	for _, k := range p.kept {
		errs = append(errs, k.Close())
	}
	for _, all := range p.stepped {
		errs = append(errs, server.CloseAll(all))
	}
	clear(p.kept)
	clear(p.stepped)
	return errors.Join(errs...)
}
