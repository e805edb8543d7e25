package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process/clock"
	"locktorture/cluster/server"
	"locktorture/internal/child"
)

// ErrDown is returned by operations that need a running node.
var ErrDown = errors.New("node is down")

// ErrUp is returned by Start if the node is running.
var ErrUp = errors.New("node is up")

// A Node is one server process. Its methods may be called from several goroutines; each waits until
// the others have returned.
type Node struct {
	spec    cluster.Spec
	kind    program
	program string
	dir     string // holds all files of the server except logs
	logDir  string
	clock   *clock.Clock // nil: the clock cannot be moved
	noClock string       // reason if clock is nil

	mu      sync.Mutex
	child   *child.Child
	down    bool // killed and not started again
	version string
}

var _ cluster.Node = (*Node)(nil)

// Name returns the name of the node.
func (n *Node) Name() string { return n.spec.Name }

// Addr returns the address on which the server itself listens.
func (n *Node) Addr() string { return server.Addr(n.spec) }

// Version returns the version that the server reported at its last start.
func (n *Node) Version() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.version
}

// PID returns the number of the node's current or last process.
func (n *Node) PID() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.child == nil {
		return 0
	}
	return n.child.PID()
}

// WhyNot returns the reason why the node lacks a capability ("clock", "wipe", "replace"), or "" if it
// has it.
func (n *Node) WhyNot(capability string) string {
	if capability == "replace" && n.spec.Readmit != nil {
		return ""
	}
	return server.WhyNot(n.kind, n.noClock, capability)
}

// Kill ends the server immediately (SIGKILL) and returns when its process has ended.
func (n *Node) Kill(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.child.Alive() {
		return fmt.Errorf("kill %s: %w", n.Name(), ErrDown)
	}
	return n.kill(ctx)
}

func (n *Node) kill(ctx context.Context) error {
	n.down = true
	if err := n.child.Kill(ctx); err != nil {
		return fmt.Errorf("kill %s: %w", n.Name(), err)
	}
	return nil
}

// Look returns an error if the server has ended by itself.
func (n *Node) Look(context.Context) error {
	if !n.mu.TryLock() {
		return nil // another method is running
	}
	defer n.mu.Unlock()
	if n.down || n.child.Alive() {
		return nil
	}
	return errors.New("its process has ended by itself")
}

// Start starts the server again on the same port and returns once it answers. wipe empties its data
// directory first. Servers that can neither start without their data nor be replaced refuse (WhyNot
// "replace").
func (n *Node) Start(ctx context.Context, wipe bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.child.Alive() {
		return fmt.Errorf("start %s: %w", n.Name(), ErrUp)
	}
	if wipe {
		restore, err := n.empty(ctx)
		if err != nil {
			return err
		}
		defer restore()
	}
	if err := n.launch(ctx); err != nil {
		return fmt.Errorf("start %s: %w", n.Name(), err)
	}
	if n.spec.Ready == nil {
		return nil
	}
	return n.spec.Ready(ctx)
}

// empty removes the data of a node that is down, and prepares its start without data: the other
// members readmit the node, and its arguments include Rejoins until restore is called.
func (n *Node) empty(ctx context.Context) (restore func(), err error) {
	if why := n.WhyNot("replace"); why != "" {
		return nil, fmt.Errorf("start %s without its data: %s", n.Name(), why)
	}
	if err := errors.Join(n.tidy(), os.RemoveAll(n.data()), os.MkdirAll(n.data(), 0o755)); err != nil {
		return nil, fmt.Errorf("wipe %s: %w", n.Name(), err)
	}
	if n.spec.Readmit != nil {
		if err := n.spec.Readmit(ctx); err != nil {
			return nil, fmt.Errorf("start %s without its data: %w", n.Name(), err)
		}
	}
	usual := n.spec.Args
	n.spec.Args = slices.Concat(usual, n.spec.Rejoins)
	return func() { n.spec.Args = usual }, nil
}

// Stop kills the server and removes its data.
func (n *Node) Stop(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var errs []error
	if n.child.Alive() {
		errs = append(errs, n.kill(ctx))
	}
	if n.clock != nil {
		errs = append(errs, n.clock.Close())
	}
	return errors.Join(append(errs, n.tidy(), os.RemoveAll(n.dir))...)
}

// tidy removes the objects that a killed server has left outside its directory.
func (n *Node) tidy() error {
	if t, ok := n.kind.(tidier); ok {
		return t.tidy(n.data())
	}
	return nil
}

// data returns the directory that wipe empties.
func (n *Node) data() string { return filepath.Join(n.dir, "data") }

// pause waits for d or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
