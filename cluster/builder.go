package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"
)

// A builder assembles a cluster. Every part that it makes is closed with the cluster, even if a
// later step fails.
type builder struct {
	Config
	cluster *Cluster
	ports   Ports
	links   int // number of links made
}

func newBuilder(cfg Config) *builder {
	b := &builder{Config: cfg, cluster: &Cluster{Topology: cfg.Topology, Quorum: 1}}
	b.onClose(func(context.Context) error { return b.ports.Close() })
	return b
}

// onClose adds a closer; the last one added runs first.
func (b *builder) onClose(f func(context.Context) error) {
	b.cluster.closers = append(b.cluster.closers, f)
}

// reserve returns n free ports.
func (b *builder) reserve(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		p, err := b.ports.Reserve()
		if err != nil {
			return nil, err
		}
		ports[i] = p
	}
	return ports, nil
}

// link makes a link between the two ends that w names. The order in which a topology makes its
// links determines the seeds of their jitter.
func (b *builder) link(listen, upstream string, w Way) (*Link, error) {
	b.links++
	l, err := NewLink(b.Forward, listen, upstream, uint64(b.links))
	if err != nil {
		return nil, err
	}
	w.Upstream = upstream
	l.taps.way = w
	b.cluster.links = append(b.cluster.links, l)
	b.onClose(func(context.Context) error { l.Close(); return nil })
	return l, nil
}

// start starts nodes concurrently and appends them to the cluster in the order of specs.
func (b *builder) start(ctx context.Context, specs ...Spec) error {
	nodes := make([]Node, len(specs))
	b.onClose(func(ctx context.Context) error { return stopAll(ctx, nodes) })
	g, gctx := errgroup.WithContext(ctx)
	for i, s := range specs {
		s.Args = slices.Concat(s.Args, b.Args[s.Server])
		s.LogDir = b.logDir(s.Name)
		g.Go(func() (err error) {
			nodes[i], err = b.Provisioner.Start(gctx, s)
			return err
		})
	}
	err := g.Wait()
	if err == nil {
		b.cluster.Nodes = append(b.cluster.Nodes, nodes...)
	}
	return err
}

// stopAll stops the nodes that were started.
func stopAll(ctx context.Context, nodes []Node) error {
	errs := make([]error, len(nodes))
	var g errgroup.Group
	for i, n := range nodes {
		if n == nil {
			continue
		}
		g.Go(func() error {
			if err := n.Stop(ctx); err != nil {
				errs[i] = fmt.Errorf("stop %s: %w", n.Name(), err)
			}
			return nil
		})
	}
	return errors.Join(g.Wait(), errors.Join(errs...))
}

// linkClients gives each client a link to each node.
func (b *builder) linkClients() error {
	c := b.cluster
	links := make([][]*Link, b.Clients)
	for i := range links {
		for j, n := range c.Nodes {
			l, err := b.link("127.0.0.1:0", n.Addr(), Way{Client: i + 1, From: -1, To: j})
			if err != nil {
				return err
			}
			links[i] = append(links[i], l)
		}
	}
	c.link = func(client, node int) *Link {
		if client < 1 || client > len(links) || node < 0 || node >= len(c.Nodes) {
			return nil
		}
		return links[client-1][node]
	}
	c.endpoints = func(client int) []string {
		if client < 1 || client > len(links) { // the prober, and clients that bypass the proxies
			return addrs(c.Nodes)
		}
		var a []string
		for _, l := range links[client-1] {
			a = append(a, l.Addr())
		}
		return a
	}
	return nil
}

// addrs returns the addresses of the servers themselves.
func addrs(nodes []Node) []string {
	var a []string
	for _, n := range nodes {
		a = append(a, n.Addr())
	}
	return a
}

// local returns the loopback address with a port.
func local(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }
