package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"

	"locktorture/cluster"
)

// Version is the version of the miniredis module; a test compares it with go.mod.
const Version = "v2.40.0"

// ErrDown is returned by operations that need a running node.
var ErrDown = errors.New("node is down")

// ErrUp is returned by Start if the node is running.
var ErrUp = errors.New("node is up")

// A Node is a miniredis. It cannot be paused: its connections are served by goroutines of this
// process, which no signal stops.
type Node struct {
	name, addr string
	ready      func(context.Context) error

	mu       sync.Mutex // held during starts, stops and changes of the clock
	redis    *miniredis.Miniredis
	listener net.Listener // nil while the node is down
	accept   sync.WaitGroup

	clock  sync.Mutex // guards the fields below
	anchor time.Time  // the host's time when the skew began
	offset time.Duration
	rate   float64
}

var _ cluster.Node = (*Node)(nil)

// Name returns the name of the node.
func (n *Node) Name() string { return n.name }

// Addr returns the address on which it listens.
func (n *Node) Addr() string { return n.addr }

// Version returns "miniredis" and the version that is built in.
func (n *Node) Version() string { return "miniredis " + Version }

// WhyNot returns the reason why the node lacks a capability ("pause"), or "" if it has it.
func (n *Node) WhyNot(capability string) string {
	if capability == "pause" {
		return "an embedded server is part of this process and cannot be stopped by itself"
	}
	return ""
}

// Kill closes the listener and all connections. The data stays in memory, as if the server had
// written every change to disk.
func (n *Node) Kill(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listener == nil {
		return fmt.Errorf("kill %s: %w", n.name, ErrDown)
	}
	n.close()
	return nil
}

// Start listens again on the same address. The node still has its data, unless wipe is set. Keys
// whose lifetime ended meanwhile have expired.
func (n *Node) Start(ctx context.Context, wipe bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listener != nil {
		return fmt.Errorf("start %s: %w", n.name, ErrUp)
	}
	if wipe {
		n.redis.FlushAll()
	}
	n.tick()
	if err := n.listen(); err != nil {
		return fmt.Errorf("start %s: %w", n.name, err)
	}
	if n.ready == nil {
		return nil
	}
	return n.ready(ctx)
}

// Stop ends the server permanently.
func (n *Node) Stop(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.close()
	return nil
}
