package cluster

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// consulAdvertised is the address under which each Consul is known to the others. It differs from
// the address on which they listen (127.0.0.1), because a Consul can only advertise another
// address, not another port: the switchboard listens on the same port of this address.
const consulAdvertised = "127.0.0.2"

// startConsul starts three Consul servers. Each advertises a switchboard of this process as the
// address for replication and forwarded requests, so that the links between them can be disturbed.
// Their gossip (a UDP and a TCP port) is not disturbed: it shows all servers alive while their
// links are cut.
func startConsul(ctx context.Context, b *builder) error {
	const n = 3
	ports, err := b.reserve(3 * n) // for clients, servers and gossip
	if err != nil {
		return err
	}
	clients, servers, gossip := ports[:n], ports[n:2*n], ports[2*n:]
	var real, advertised, join []string
	for i := range n {
		advertised = append(advertised, fmt.Sprintf("%s:%d", consulAdvertised, servers[i]))
		real = append(real, local(servers[i]))
		join = append(join, "-retry-join", fmt.Sprintf("%s:%d", consulAdvertised, gossip[i]))
	}
	links, err := b.mesh(real)
	if err != nil {
		return err
	}
	pids := make([]atomic.Int64, n)
	specs := make([]Spec, n)
	for i := range specs {
		specs[i] = Spec{
			Server: "consul", Name: fmt.Sprintf("consul-%d", i+1), Ports: []int{clients[i], servers[i], gossip[i]},
			Started: func(pid int) { pids[i].Store(int64(pid)) },
			Args: append([]string{
				"-advertise", consulAdvertised, "-serf-lan-bind", consulAdvertised,
				"-bootstrap-expect", strconv.Itoa(n), "-retry-interval", "100ms", "-hcl", consulTimes,
			}, join...),
		}
	}
	open := make(chan struct{})
	close(open) // a Consul soon retries
	for i, addr := range advertised {
		if err := b.switchboard(addr, i, real[i], links, pids, open); err != nil {
			return err
		}
	}
	b.cluster.Quorum, b.cluster.peer = n/2+1, links.oneWay
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	b.cluster.leader = consulLeader(b.cluster.Nodes, advertised)
	if err := b.awaitLeader(ctx); err != nil {
		return err
	}
	if err := b.awaitWrites(ctx); err != nil {
		return err
	}
	return b.linkClients()
}

// awaitWrites waits until every server has written and removed a key, because a new leader of
// Consul accepts writes only after a while.
func (b *builder) awaitWrites(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, n := range b.cluster.Nodes {
		for _, method := range []string{http.MethodPut, http.MethodDelete} {
			err := poll(ctx, 10*time.Millisecond, func() (bool, error) {
				var done bool
				err := askJSON(ctx, method, "http://"+n.Addr()+"/v1/kv/torture-ready", "", &done)
				return err == nil && done, nil
			})
			if err != nil {
				return fmt.Errorf("wait until %s accepts writes: %w", n.Name(), err)
			}
		}
	}
	return nil
}

// consulTimes shortens elections and the expiry of sessions. It also keeps servers that are down in
// the quorum, because they return.
const consulTimes = `
session_ttl_min = "200ms"
performance { raft_multiplier = 1 }
autopilot { cleanup_dead_servers = false }
gossip_lan { gossip_interval = "50ms" probe_interval = "200ms" probe_timeout = "100ms" suspicion_mult = 2 }
`
