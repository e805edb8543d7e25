package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"locktorture/internal/wire"
)

// sentinelMaster is the name of the primary in the configuration of the sentinels.
const sentinelMaster = "torture"

// The timing of the sentinels. With much less than a second, a server on a busy machine would be
// considered down.
const (
	sentinelDown     = "1000" // ms without an answer until a server is considered down
	sentinelFailover = "1000" // ms until a failed fail-over is repeated
)

// closedChannel returns a closed channel, which opens a switchboard from the start.
func closedChannel() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// startSentinel starts a Redis primary with two replicas, and three sentinels that watch it. Each
// server has one address for all other servers, a switchboard, so that every link between two of
// them can be disturbed.
func startSentinel(ctx context.Context, b *builder) error {
	const redises, sentinels = 3, 3
	const n = redises + sentinels
	ports, err := b.reserve(2 * n)
	if err != nil {
		return err
	}
	var real, boards []string
	for i := range n {
		real, boards = append(real, local(ports[i])), append(boards, local(ports[n+i]))
	}
	links, err := b.mesh(real)
	if err != nil {
		return err
	}
	pids := make([]atomic.Int64, n)
	for i := range n {
		if err := b.switchboard(boards[i], i, real[i], links, pids, closedChannel()); err != nil {
			return err
		}
	}
	s := newSentinels(links, boards[:redises])
	specs := make([]Spec, n)
	for i := range specs {
		specs[i] = s.spec(i, ports[i], boards)
		specs[i].Started = func(pid int) { pids[i].Store(int64(pid)) }
	}
	if err := b.start(ctx, specs[:redises]...); err != nil {
		return err
	}
	if err := s.join(ctx, b.cluster.Nodes); err != nil {
		return err
	}
	if err := b.start(ctx, specs[redises:]...); err != nil {
		return err
	}
	b.onClose(func(context.Context) error { s.close(); return nil })
	if err := s.begin(ctx, b.cluster.Nodes[redises:]); err != nil {
		return err
	}
	if err := b.linkClients(); err != nil {
		return err
	}
	b.routes(boards)
	b.cluster.Replicas, b.cluster.peer = s, links.oneWay
	return nil
}

// spec returns the spec of server i: the first servers are Redis, the others sentinels.
func (s *Sentinels) spec(i, port int, boards []string) Spec {
	host, announced, _ := strings.Cut(boards[i], ":")
	if i < len(s.boards) {
		return Spec{
			Server: "redis", Name: fmt.Sprintf("redis-%d", i+1), Ports: []int{port},
			Args: append(onDisk(), "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
				"--replica-announce-ip", host, "--replica-announce-port", announced),
			Ready: func(ctx context.Context) error { return s.place(ctx, i) },
		}
	}
	_, primary, _ := strings.Cut(boards[0], ":")
	return Spec{
		Server: "sentinel", Name: fmt.Sprintf("sentinel-%d", i-len(s.boards)+1), Ports: []int{port},
		Args: []string{
			"sentinel announce-ip " + host, "sentinel announce-port " + announced,
			"sentinel monitor " + sentinelMaster + " 127.0.0.1 " + primary + " 2",
			"sentinel down-after-milliseconds " + sentinelMaster + " " + sentinelDown,
			"sentinel failover-timeout " + sentinelMaster + " " + sentinelFailover,
			"sentinel parallel-syncs " + sentinelMaster + " 1",
		},
		Ready: func(ctx context.Context) error { return hurry(ctx, local(port)) },
	}
}

// routes maps the addresses that the servers announce to the links of each client.
func (b *builder) routes(announced []string) {
	c, plain := b.cluster, b.cluster.endpoints
	c.endpoints = func(client int) []string {
		var routes []string
		for i, addr := range plain(client) {
			kind, _, _ := strings.Cut(c.Nodes[i].Name(), "-")
			routes = append(routes, wire.Route{Kind: kind, Announced: announced[i], Dial: addr}.String())
		}
		return routes
	}
}
