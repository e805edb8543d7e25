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

// ErrDown is returned when something is asked of a node that is not running.
var ErrDown = errors.New("node is down")

// ErrUp is returned by Start if the node runs.
var ErrUp = errors.New("node is up")

// A Node is one container. Its methods may be called from several goroutines; they
// wait for each other.
type Node struct {
	spec   cluster.Spec
	recipe recipe
	kind   server.Kind
	engine *engine
	image  image
	dir    string // mounted into the container; all that the server leaves behind is below it, but for logs

	clock   clock  // nil: cannot be moved
	noClock string // why
	mounts  []string
	env     map[string]string

	mu      sync.Mutex
	id      string // of the container; "": not made
	pid     int    // of the server; 0: it was killed
	paused  bool
	version string
	logs    sync.WaitGroup
	hush    []context.CancelFunc // end the streams of logs, should they not end by themselves
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

// WhyNot says why a capability ("clock", "wipe") is missing, or "" if it is
// there.
func (n *Node) WhyNot(capability string) string {
	return server.WhyNot(n.kind, n.noClock, capability)
}

// Kill ends the server at once (SIGKILL) and returns when it is gone.
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

// kill ends the server itself, as the engine takes long on a busy machine to do that. It
// returns when the process is gone; the engine notices later.
func (n *Node) kill(ctx context.Context) error {
	if n.pid <= 1 { // would be a whole group, or all
		return ErrDown
	}
	if err := syscall.Kill(n.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	if n.paused { // what is frozen dies when it is let go
		_, _ = n.engine.ContainerUnpause(ctx, n.id, client.ContainerUnpauseOptions{}) // if not, it does not go
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

// ended returns once the engine has noticed that the container does not run.
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

// Start starts the server again, on the same port, and returns once it answers. wipe empties
// its data directory first; servers that do not come back from that refuse (WhyNot "wipe").
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

// Pause freezes the container and returns when it stands still.
func (n *Node) Pause(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.mustRun(ctx)
	if err == nil {
		err = n.freeze(ctx)
	}
	if err != nil {
		return fmt.Errorf("pause %s: %w", n.Name(), err)
	}
	n.paused = true
	return nil
}

// freezeTries is how often a container is frozen before that is an error: where tasks wait for
// a CPU, or for a disk, the runtime finds that they do not stop in time, lets them go on, and
// says that it is unable to.
const freezeTries = 50

// freeze asks the engine until it has done so.
func (n *Node) freeze(ctx context.Context) error {
	for try := 1; ; try++ {
		_, err := n.engine.ContainerPause(ctx, n.id, client.ContainerPauseOptions{})
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

// Resume lets it go on. One that was not paused goes on anyway.
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

// mustRun returns nil if the container runs, or ErrDown.
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
