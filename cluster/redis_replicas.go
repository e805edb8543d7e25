package cluster

import (
	"context"
	"fmt"
	"slices"
)

// startReplicas starts a Redis primary with two replicas. Each replicates through a link of its
// own, and each client has one virtual endpoint that leads to the primary.
func startReplicas(ctx context.Context, b *builder) error {
	specs, err := b.redisSpecs(3)
	if err != nil {
		return err
	}
	r := &Replicas{killed: map[int]bool{}}
	for i := range specs {
		specs[i].Args = append(specs[i].Args, "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
		specs[i].Ready = func(ctx context.Context) error { return r.place(ctx, i) }
	}
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	for _, n := range b.cluster.Nodes {
		rn, ok := n.(restarter)
		if !ok {
			return fmt.Errorf("%s cannot be killed and started again, which a fail-over needs", n.Name())
		}
		r.nodes = append(r.nodes, rn)
	}
	if r.links, err = b.mesh(addrs(b.cluster.Nodes)); err != nil {
		return err
	}
	for i := range r.nodes {
		if err := r.place(ctx, i); err != nil {
			return err
		}
	}
	if err := b.virtualEndpoints(r); err != nil {
		return err
	}
	b.cluster.Replicas, b.cluster.peer = r, r.links.oneWay
	return r.inSync(ctx)
}

// virtualEndpoints gives each client a link that leads to the primary.
func (b *builder) virtualEndpoints(r *Replicas) error {
	ports, err := b.reserve(b.Clients)
	if err != nil {
		return err
	}
	for i, port := range ports {
		l, err := b.link(local(port), r.nodes[r.Primary()].Addr(), Way{Client: i + 1, From: -1, To: -1})
		if err != nil {
			return err
		}
		r.endpoints = append(r.endpoints, l)
	}
	links := slices.Clone(r.endpoints)
	b.cluster.link = func(client, _ int) *Link {
		if client < 1 || client > len(links) {
			return nil
		}
		return links[client-1]
	}
	b.cluster.endpoints = func(client int) []string {
		if client < 1 || client > len(links) {
			return []string{r.nodes[r.Primary()].Addr()}
		}
		return []string{links[client-1].Addr()}
	}
	return nil
}
