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

// nodeTimeout is how long the nodes of a cluster wait for one before it counts as down.
const nodeTimeout = "1000" // ms

// startRedisCluster starts three Redis primaries and a replica of each. What nodes tell
// each other on the cluster's bus, and what replicas fetch, goes through the same
// link from one node to another; replication can also be cut alone.
func startRedisCluster(ctx context.Context, b *builder) error {
	ports, err := b.reserve(4 * shardNodes) // of clients, of the bus, and what stands for each to others
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

// clusterSpec says how a node of the cluster is started. What it knows of the cluster lies
// beside its data: without that, it would be another node.
func clusterSpec(i int, at func(kind, i int) string) Spec {
	port := func(kind int) string { return strings.TrimPrefix(at(kind, i), "127.0.0.1:") }
	var ports []int
	for kind := range 2 {
		var p int
		_, _ = fmt.Sscan(port(kind), &p) // it was printed by local
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

// linkReplicas makes the links through which the two nodes of a shard copy from
// each other: one that can be cut alone, and after it the valves of the link
// between the nodes.
func (c *RedisCluster) linkReplicas(b *builder, at func(kind, i int) string) error {
	c.copies = make(mesh, shardNodes)
	for i := range c.copies {
		c.copies[i] = make([]*Link, shardNodes)
		for j := range c.copies[i] {
			c.copies[i][j] = &Link{} // leads nowhere: nobody copies from another shard
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
