package cluster

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// consulAdvertised is the address under which each Consul is known to the others. It is not
// the one that they listen on (127.0.0.1), because the port must be the same: a server has no
// other way of naming a proxy.
const consulAdvertised = "127.0.0.2"

// startConsul starts three Consul servers. The port over which they replicate
// and forward requests is advertised as that of a switchboard of this process, so that
// links between them can be disturbed; their gossip (a UDP and TCP port) is not, and
// still sees all of them alive when they are cut off.
func startConsul(ctx context.Context, b *builder) error {
	const n = 3
	ports, err := b.reserve(3 * n) // of clients, of servers, of gossip
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
	close(open) // a Consul tries again soon
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

// awaitWrites returns once every server has had a key written and removed: a new leader
// of Consul takes a while before it accepts that.
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

// consulTimes make elections and the end of sessions quick. A server that is
// down must not be voted out: it comes back.
const consulTimes = `
session_ttl_min = "200ms"
performance { raft_multiplier = 1 }
autopilot { cleanup_dead_servers = false }
gossip_lan { gossip_interval = "50ms" probe_interval = "200ms" probe_timeout = "100ms" suspicion_mult = 2 }
`
