//go:build engine

package docker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/moby/moby/client"

	"locktorture/cluster/server"
)

// A clock is a wall clock that can be moved until it is closed.
type clock interface {
	server.Clock
	io.Closer
}

// The names of the shared object and of the file with the offset, in the directory of a node.
const (
	clockObject = "clock.so"
	clockFile   = "clock"
)

// begin prepares the mounted directories, creates the container and starts it for the first time.
func (n *Node) begin(ctx context.Context) error {
	for _, dir := range []string{filepath.Join(n.dir, "data"), n.logDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.env = map[string]string{}
	n.mounts = []string{n.dir + ":" + home}
	if n.recipe.notRoot {
		n.mounts = append(n.mounts, filepath.Join(n.dir, passwdFile)+":/etc/passwd:ro")
	}
	if n.noClock = server.WhyNoClock(n.kind); n.noClock == "" {
		n.addClock(ctx)
	}
	if err := n.launch(ctx); err != nil {
		return err
	}
	return n.seePreloaded(ctx)
}

// addClock adds a clock to the directory of the node, or keeps the reason why there is none.
func (n *Node) addClock(ctx context.Context) {
	c, err := newClock(ctx, n.dir)
	if err != nil {
		n.noClock = err.Error()
		return
	}
	n.clock = c
	n.env["LD_PRELOAD"] = home + "/" + clockObject
	n.env["TORTURE_CLOCK"] = home + "/" + clockFile
}

// seePreloaded checks whether the server has loaded the shared object, and removes the clock if it
// has not. An image with another C library does not load it.
func (n *Node) seePreloaded(ctx context.Context) error {
	if n.clock == nil {
		return nil
	}
	c, err := n.engine.ContainerInspect(ctx, n.id, client.ContainerInspectOptions{})
	if err != nil {
		return err
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", c.Container.State.Pid))
	switch {
	case err != nil:
		n.noClock = fmt.Sprintf("torture cannot see whether this server has a clock of its own: %v", err)
	case !bytes.Contains(maps, []byte(home+"/"+clockObject)):
		n.noClock = fmt.Sprintf("the C library of %s does not take the preloaded clock", n.image.name)
	default:
		return nil
	}
	err = n.clock.Close()
	n.clock = nil
	return err
}

// A ClockedNode is a Node whose wall clock can be moved.
type ClockedNode struct{ *Node }

// SkewClock makes the node's clock run offset ahead of the host's clock (behind, if negative) and,
// from then on, rate times as fast. Offset 0 and rate 1 restore it. It returns once the node itself
// reports the new time. While the node is down, the clock can only be restored.
func (n *ClockedNode) SkewClock(ctx context.Context, offset time.Duration, rate float64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	switch down := n.mustRun(ctx); {
	case down == nil:
		// Only a Clocked kind has a clock.
		err = server.SkewClock(ctx, n.kind.(server.Clocked), n.Addr(), n.clock, offset, rate)
	case offset != 0 || rate != 1:
		err = down
	default:
		err = n.clock.Set(offset, rate)
	}
	if err != nil {
		return fmt.Errorf("move clock of %s: %w", n.Name(), err)
	}
	return nil
}
