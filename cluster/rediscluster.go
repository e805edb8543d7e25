package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
)

// The shape of a Redis Cluster: node i and node i+shards are one shard.
const (
	shards       = 3
	shardNodes   = 2 * shards
	clusterSlots = 16384
)

// nodeTimeout is the time after which the nodes of a cluster consider a silent node down.
const nodeTimeout = "1000" // ms

// startRedisCluster starts three Redis primaries with a replica each. Messages on the cluster's bus
// and the data of replication pass the same link between two nodes. Replication can also be cut
// alone.
func startRedisCluster(ctx context.Context, b *builder) error {
	ports, err := b.reserve(4 * shardNodes) // for clients, for the bus, and for the switchboards
	if err != nil {
		return err
	}
	at := func(kind, i int) string { return local(ports[kind*shardNodes+i]) }
	var bus []string
	for i := range shardNodes {
		bus = append(bus, at(1, i))
	}
	links, err := b.mesh(bus)
	if err != nil {
		return err
	}
	c := &RedisCluster{links: links}
	if err := c.linkReplicas(b, at); err != nil {
		return err
	}
	pids := make([]atomic.Int64, shardNodes)
	specs := make([]Spec, shardNodes)
	for i := range specs {
		if err := b.switchboard(at(2, i), i, at(0, i), c.copies, pids, closedChannel()); err != nil {
			return err
		}
		if err := b.switchboard(at(3, i), i, at(1, i), links, pids, closedChannel()); err != nil {
			return err
		}
		specs[i] = clusterSpec(i, at)
		specs[i].Started = func(pid int) { pids[i].Store(int64(pid)) }
		c.told = append(c.told, nodeAddr{data: at(2, i), bus: at(3, i)})
	}
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	if err := c.form(ctx, b.cluster.Nodes); err != nil {
		return err
	}
	if err := b.linkClients(); err != nil {
		return err
	}
	var announced []string
	for _, a := range c.told {
		announced = append(announced, a.data)
	}
	b.routes(announced)
	b.cluster.Replicas, b.cluster.peer = c, links.oneWay
	return nil
}

// clusterSpec returns the spec of a node of the cluster. The node stores its view of the cluster
// (nodes.conf) outside its data directory, because without this file a wiped node would start with
// a new identity.
func clusterSpec(i int, at func(kind, i int) string) Spec {
	port := func(kind int) string { return strings.TrimPrefix(at(kind, i), "127.0.0.1:") }
	var ports []int
	for kind := range 2 {
		var p int
		_, _ = fmt.Sscan(port(kind), &p) // the text was printed by local
		ports = append(ports, p)
	}
	return Spec{
		Server: "redis", Name: fmt.Sprintf("redis-%d", i+1), Ports: ports,
		Args: append(onDisk(), "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
			"--cluster-enabled", "yes", "--cluster-config-file", "../nodes.conf", "--cluster-port", port(1),
			"--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", port(2), "--cluster-announce-bus-port", port(3),
			"--cluster-node-timeout", nodeTimeout, "--cluster-replica-validity-factor", "0",
			"--cluster-require-full-coverage", "no", "--cluster-allow-replica-migration", "no"),
	}
}

// linkReplicas makes the links through which the two nodes of a shard copy from each other: one
// that can be cut alone, followed by the valves of the link between the nodes.
func (c *RedisCluster) linkReplicas(b *builder, at func(kind, i int) string) error {
	c.copies = make(mesh, shardNodes)
	for i := range c.copies {
		c.copies[i] = make([]*Link, shardNodes)
		for j := range c.copies[i] {
			c.copies[i][j] = &Link{} // unused: no node copies from another shard
		}
	}
	for i := range shardNodes {
		j := partner(i)
		port, err := b.reserve(2)
		if err != nil {
			return err
		}
		between := c.links[i][j]
		p, err := b.Forward.proxy(local(port[0]), at(0, j), between.requests, between.replies, nil)
		if err != nil {
			return err
		}
		b.onClose(func(context.Context) error { p.Stop(); return nil })
		if c.copies[i][j], err = b.link(local(port[1]), p.Addr(), Way{From: i, To: j}); err != nil {
			return err
		}
	}
	return nil
}

// partner returns the other node of a shard.
func partner(i int) int { return (i + shards) % shardNodes }
