package cluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// A nodeAddr is where other nodes reach one.
type nodeAddr struct{ data, bus string }

// form makes one cluster of nodes that know nothing of each other.
func (c *RedisCluster) form(ctx context.Context, nodes []Node) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, n := range nodes {
		rn, ok := n.(restarter)
		if !ok {
			return fmt.Errorf("%s cannot be killed and started again, which a fail-over needs", n.Name())
		}
		c.nodes = append(c.nodes, rn)
	}
	for s := range shards {
		first, last := s*clusterSlots/shards, (s+1)*clusterSlots/shards-1
		if err := c.do(ctx, s, "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last)); err != nil {
			return err
		}
		key, err := c.keyIn(ctx, first, last)
		if err != nil {
			return err
		}
		c.keys = append(c.keys, key)
	}
	for i := range c.nodes {
		if err := c.do(ctx, i, "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	for i := range c.nodes {
		for j := range i {
			host, port, _ := net.SplitHostPort(c.told[j].data)
			_, busPort, _ := net.SplitHostPort(c.told[j].bus)
			if err := c.do(ctx, i, "MEET", host, port, busPort); err != nil {
				return err
			}
		}
	}
	for i := shards; i < shardNodes; i++ {
		id, err := c.text(ctx, partner(i), "MYID")
		if err != nil {
			return err
		}
		err = poll(ctx, 20*time.Millisecond, func() (bool, error) { return c.do(ctx, i, "REPLICATE", id) == nil, nil })
		if err != nil {
			return fmt.Errorf("make %s a replica: %w", c.nodes[i].Name(), err)
		}
	}
	return c.whole(ctx)
}

// keyIn returns the name of a key in a range of slots.
func (c *RedisCluster) keyIn(ctx context.Context, first, last int) (string, error) {
	for i := 0; ; i++ {
		key := "torture:no-such-key:" + strconv.Itoa(i)
		text, err := c.text(ctx, 0, "KEYSLOT", key)
		if err != nil {
			return "", err
		}
		if slot, err := strconv.Atoi(text); err != nil || slot >= first && slot <= last {
			return key, err
		}
	}
}

// do sends one CLUSTER command to a node.
func (c *RedisCluster) do(ctx context.Context, i int, args ...string) error {
	_, err := c.text(ctx, i, args...)
	return err
}

// text sends one CLUSTER command to a node and returns its answer.
func (c *RedisCluster) text(ctx context.Context, i int, args ...string) (string, error) {
	client := redisClient(c.nodes[i].Addr())
	defer client.Close()
	command := []any{"CLUSTER"}
	for _, a := range args {
		command = append(command, a)
	}
	v, err := client.Do(ctx, command...).Result()
	if err != nil {
		return "", fmt.Errorf("cluster %s at %s: %w", args[0], c.nodes[i].Name(), err)
	}
	return fmt.Sprint(v), nil
}

// whole returns once every node takes the cluster for whole, and every replica has
// all that its primary had written.
func (c *RedisCluster) whole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var last error
	err := poll(ctx, 10*time.Millisecond, func() (bool, error) {
		last = c.complete(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the cluster: %w: %w", err, last)
	}
	return nil
}

// complete returns nil, or what is missing.
func (c *RedisCluster) complete(ctx context.Context) error {
	for i, n := range c.nodes {
		info, err := c.text(ctx, i, "INFO")
		if err != nil {
			return err
		}
		f := fields(info)
		if f["cluster_state"] != "ok" || f["cluster_known_nodes"] != strconv.Itoa(shardNodes) || f["cluster_slots_ok"] != strconv.Itoa(clusterSlots) {
			return fmt.Errorf("%s knows %s nodes and %s slots, and takes the cluster for %s", n.Name(), f["cluster_known_nodes"], f["cluster_slots_ok"], f["cluster_state"])
		}
	}
	for s := range shards {
		p, err := c.primaryOf(ctx, s)
		if err != nil {
			return err
		}
		r := partner(p)
		ok, err := synced(ctx, c.nodes[r].Addr(), c.nodes[p].Addr(), c.told[p].data)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s does not follow %s", c.nodes[r].Name(), c.nodes[p].Name())
		}
		if err := c.copied(ctx, p, c.keys[s]); err != nil {
			return err
		}
	}
	return nil
}

// copied returns nil once the replica of a primary has acknowledged something that
// is written now, and gone a moment later: a message would go over the bus.
func (c *RedisCluster) copied(ctx context.Context, primary int, key string) error {
	client := redisClient(c.nodes[primary].Addr())
	defer client.Close()
	conn := client.Conn() // WAIT counts what its own connection has sent
	defer conn.Close()
	if err := conn.Set(ctx, key, "", time.Millisecond).Err(); err != nil {
		return fmt.Errorf("write to %s: %w", c.nodes[primary].Name(), err)
	}
	got, err := conn.Wait(ctx, 1, time.Second).Result()
	if err == nil && got < 1 {
		err = fmt.Errorf("%s acknowledges nothing", c.nodes[partner(primary)].Name())
	}
	return err
}
