//go:build engine

package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/moby/moby/client"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// ErrDown is returned by operations that need a running node.
var ErrDown = errors.New("node is down")

// ErrUp is returned by Start if the node is running.
var ErrUp = errors.New("node is up")

// A Node is one container. Its methods may be called from several goroutines; each waits until the
// others have returned.
type Node struct {
	spec   cluster.Spec
	recipe recipe
	kind   server.Kind
	engine *engine
	image  image
	dir    string // mounted into the container; holds all files of the server except logs

	clock   clock  // nil: the clock cannot be moved
	noClock string // reason if clock is nil
	mounts  []string
	env     map[string]string

	mu      sync.Mutex
	id      string // of the container; "": not created
	pid     int    // of the server; 0: the server was killed
	paused  bool
	version string
	logs    sync.WaitGroup
	hush    []context.CancelFunc // end the streams of logs that do not end by themselves
}

var _ cluster.Node = (*Node)(nil)

// Name returns the name of the node.
func (n *Node) Name() string { return n.spec.Name }

// Addr returns the address on which the server itself listens.
func (n *Node) Addr() string { return server.Addr(n.spec) }

// Version returns the version that the server reported at its last start, and its image.
func (n *Node) Version() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.version + ", image " + n.image.String()
}

// Container returns the id of the node's container.
func (n *Node) Container() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.id
}

// WhyNot returns the reason why the node lacks a capability ("clock", "wipe"), or "" if it has it.
func (n *Node) WhyNot(capability string) string {
	return server.WhyNot(n.kind, n.noClock, capability)
}

// Kill ends the server immediately (SIGKILL) and returns when its process has ended.
func (n *Node) Kill(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.mustRun(ctx); err != nil {
		return fmt.Errorf("kill %s: %w", n.Name(), err)
	}
	if err := n.kill(ctx); err != nil {
		return fmt.Errorf("kill %s: %w", n.Name(), err)
	}
	return nil
}

// kill signals the server process directly, because the engine is slow on a busy machine. It
// returns when the process has ended; the engine notices later.
func (n *Node) kill(ctx context.Context) error {
	if n.pid <= 1 { // would signal a whole group, or all processes
		return ErrDown
	}
	if err := syscall.Kill(n.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	if n.paused { // a frozen process dies when it is thawed
		_, _ = n.engine.ContainerUnpause(ctx, n.id, client.ContainerUnpauseOptions{}) // if this fails, the wait below reports it
		n.paused = false
	}
	for !errors.Is(syscall.Kill(n.pid, 0), syscall.ESRCH) {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	n.pid = 0
	return nil
}

// ended waits until the engine reports that the container has stopped.
func (n *Node) ended(ctx context.Context) error {
	gone := n.engine.ContainerWait(ctx, n.id, client.ContainerWaitOptions{})
	select {
	case err := <-gone.Error:
		return err
	case <-gone.Result:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Start starts the server again on the same port and returns once it answers. wipe empties its data
// directory first. Servers that cannot start without their data refuse (WhyNot "wipe").
func (n *Node) Start(ctx context.Context, wipe bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.mustRun(ctx); err == nil {
		return fmt.Errorf("start %s: %w", n.Name(), ErrUp)
	}
	if wipe {
		if why := n.WhyNot("wipe"); why != "" {
			return fmt.Errorf("start %s without its data: %s", n.Name(), why)
		}
		dir := filepath.Join(n.dir, "data")
		if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
			return fmt.Errorf("wipe %s: %w", n.Name(), err)
		}
	}
	if err := n.ended(ctx); err != nil {
		return fmt.Errorf("start %s: %w", n.Name(), err)
	}
	if err := n.launch(ctx); err != nil {
		return fmt.Errorf("start %s: %w", n.Name(), err)
	}
	if n.spec.Ready == nil {
		return nil
	}
	return n.spec.Ready(ctx)
}

// Pause freezes the container and returns when all its processes are frozen.
func (n *Node) Pause(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.mustRun(ctx)
	if err == nil {
		err = freeze(ctx, n.engine, n.id)
	}
	if err != nil {
		return fmt.Errorf("pause %s: %w", n.Name(), err)
	}
	n.paused = true
	return nil
}

// freezeTries bounds the attempts to freeze a container. If tasks wait for a CPU or for a disk, the
// runtime finds that they do not stop in time, thaws them and reports that it is unable to freeze.
const freezeTries = 50

// freeze repeats the request until the engine has frozen a container.
func freeze(ctx context.Context, e *engine, id string) error {
	for try := 1; ; try++ {
		_, err := e.ContainerPause(ctx, id, client.ContainerPauseOptions{})
		if err == nil || try == freezeTries || !strings.Contains(err.Error(), "unable to freeze") {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// Resume thaws the container. It has no effect on a container that is not paused.
func (n *Node) Resume(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.mustRun(ctx)
	if err == nil && n.paused {
		_, err = n.engine.ContainerUnpause(ctx, n.id, client.ContainerUnpauseOptions{})
	}
	if err != nil {
		return fmt.Errorf("resume %s: %w", n.Name(), err)
	}
	n.paused = false
	return nil
}

// Stop removes the container, its volumes and its data.
func (n *Node) Stop(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var errs []error
	if n.id != "" {
		errs = append(errs, n.engine.remove(ctx, n.id))
		n.id = ""
	}
	n.endLogs()
	if n.clock != nil {
		errs = append(errs, n.clock.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(n.dir))...)
}

// mustRun returns nil if the container runs, otherwise ErrDown.
func (n *Node) mustRun(ctx context.Context) error {
	if n.id == "" || n.pid == 0 {
		return ErrDown
	}
	c, err := n.engine.ContainerInspect(ctx, n.id, client.ContainerInspectOptions{})
	if err != nil {
		return err
	}
	if !c.Container.State.Running {
		return ErrDown
	}
	return nil
}
