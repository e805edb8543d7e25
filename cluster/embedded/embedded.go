// Package embedded starts nodes inside this process: miniredis servers that listen on loopback,
// each with a clock of its own. They need only Go. They do not replace a real Redis: they have no
// replication, no persistence beyond memory, and cannot be stopped by a signal.
package embedded

import (
	"context"
	"fmt"

	"github.com/alicebob/miniredis/v2"

	"locktorture/cluster"
)

// Name is the provisioner's name on the command line.
const Name = "embedded"

// A Provisioner starts nodes inside this process.
type Provisioner struct{}

var _ cluster.Provisioner = Provisioner{}

// String returns Name.
func (Provisioner) String() string { return Name }

// Serves returns nil only for "redis".
func (Provisioner) Serves(need string) error {
	if need != "redis" {
		return fmt.Errorf("embedded: this process has only a Redis without replication, and no %s; make servers gets the real servers", need)
	}
	return nil
}

// Start starts a node. It ignores the arguments of redis-server: the data is in memory and survives
// a kill (see Node.Kill).
func (p Provisioner) Start(_ context.Context, s cluster.Spec) (cluster.Node, error) {
	if err := p.Serves(s.Server); err != nil {
		return nil, err
	}
	addr := "127.0.0.1:0"
	if len(s.Ports) > 0 {
		addr = fmt.Sprintf("127.0.0.1:%d", s.Ports[0])
	}
	n := &Node{name: s.Name, addr: addr, ready: s.Ready, redis: miniredis.NewMiniRedis()}
	n.setClock(0, 1)
	n.tick()
	n.redis.ClockTTL(true)
	if err := n.listen(); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	return n, nil
}
