package cluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// A nodeAddr is the address at which other nodes reach a node.
type nodeAddr struct{ data, bus string }

// formingTimeout is the node timeout, in ms, while the nodes get to know each other. An
// introduction that is not complete within the node timeout is forgotten, and on a busy machine it
// takes longer than a second.
const formingTimeout = "15000"

// form makes one cluster of independent nodes.
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
	c.keys = make([]string, shards)
	if err := c.everywhere(func(i int) error { return c.prepare(ctx, i) }); err != nil {
		return err
	}
	if err := c.introduce(ctx); err != nil {
		return err
	}
	err := c.everywhere(func(i int) error {
		if err := c.setTimeout(ctx, i, nodeTimeout); err != nil || i < shards {
			return err
		}
		id, err := c.text(ctx, partner(i), "MYID")
		if err != nil {
			return err
		}
		return c.do(ctx, i, "REPLICATE", id)
	})
	if err != nil {
		return err
	}
	return c.whole(ctx)
}

// everywhere calls a function for all nodes at once.
func (c *RedisCluster) everywhere(do func(i int) error) error {
	var g errgroup.Group
	for i := range c.nodes {
		g.Go(func() error { return do(i) })
	}
	return g.Wait()
}

// prepare gives a node its epoch and its slots.
func (c *RedisCluster) prepare(ctx context.Context, i int) error {
	if err := c.setTimeout(ctx, i, formingTimeout); err != nil {
		return err
	}
	if err := c.do(ctx, i, "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil || i >= shards {
		return err
	}
	first, last := i*clusterSlots/shards, (i+1)*clusterSlots/shards-1
	if err := c.do(ctx, i, "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last)); err != nil {
		return err
	}
	var err error
	c.keys[i], err = c.keyIn(ctx, first, last)
	return err
}

// setTimeout changes the node timeout of one node.
func (c *RedisCluster) setTimeout(ctx context.Context, i int, ms string) error {
	client := redisClient(c.nodes[i].Addr())
	defer client.Close()
	if err := client.ConfigSet(ctx, "cluster-node-timeout", ms).Err(); err != nil {
		return fmt.Errorf("set the time-out of %s: %w", c.nodes[i].Name(), err)
	}
	return nil
}

// introduce makes each node meet the nodes before it, and returns once every node knows all others.
// It repeats a lost introduction.
func (c *RedisCluster) introduce(ctx context.Context) error {
	const again = 3 * time.Second
	return c.everywhere(func(i int) error {
		var met time.Time
		missing := ""
		err := poll(ctx, 20*time.Millisecond, func() (bool, error) {
			text, err := c.text(ctx, i, "NODES")
			if err != nil {
				return false, err
			}
			known, due := acquainted(text), time.Since(met) > again
			missing = ""
			for j := range c.nodes {
				if known[c.told[j].data] || j == i {
					continue
				}
				missing = c.nodes[j].Name()
				if j < i && due {
					if err := c.meet(ctx, i, j); err != nil {
						return false, err
					}
				}
			}
			if due {
				met = time.Now()
			}
			return missing == "", nil
		})
		if err != nil {
			return fmt.Errorf("%s does not get to know %s: %w", c.nodes[i].Name(), missing, err)
		}
		return nil
	})
}

// acquainted returns the addresses of the nodes that a node knows by name, from its answer to
// CLUSTER NODES.
func acquainted(nodes string) map[string]bool {
	known := map[string]bool{}
	for line := range strings.Lines(nodes) {
		f := strings.Fields(line) // id address@bus flags …
		if len(f) > 2 && !strings.Contains(f[2], "handshake") && !strings.Contains(f[2], "noaddr") {
			addr, _, _ := strings.Cut(f[1], "@")
			known[addr] = true
		}
	}
	return known
}

// meet introduces node i to node j.
func (c *RedisCluster) meet(ctx context.Context, i, j int) error {
	host, port, _ := net.SplitHostPort(c.told[j].data)
	_, busPort, _ := net.SplitHostPort(c.told[j].bus)
	return c.do(ctx, i, "MEET", host, port, busPort)
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

// whole waits until every node considers the cluster complete, and every replica has received all
// data of its primary.
func (c *RedisCluster) whole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var last error
	err := poll(ctx, 20*time.Millisecond, func() (bool, error) {
		last = c.complete(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the cluster: %w: %w", err, last)
	}
	return nil
}

// complete returns nil, or the reason why the cluster is incomplete.
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

// copied writes a key that soon expires, and returns nil once the replica of the primary has
// acknowledged it. A published message would prove nothing, because it travels over the bus.
func (c *RedisCluster) copied(ctx context.Context, primary int, key string) error {
	client := redisClient(c.nodes[primary].Addr())
	defer client.Close()
	conn := client.Conn() // WAIT counts only writes of its own connection
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
