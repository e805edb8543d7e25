//go:build engine

package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"locktorture/cluster"
)

const (
	startTime  = time.Minute           // a server that takes longer is considered broken
	pollTime   = 10 * time.Millisecond // interval between checks of its readiness
	removeTime = time.Minute
	logTime    = 2 * time.Second // bound on the rest of a log after its container has ended
)

// create creates the container without starting it. The directories mounted into it must exist.
func (n *Node) create(ctx context.Context) error {
	command, err := n.recipe.command(n.spec, n.recipe.as())
	if err != nil {
		return err
	}
	labels, err := ourLabels(n.spec.Name)
	if err != nil {
		return err
	}
	env := maps.Clone(n.env)
	maps.Copy(env, n.recipe.env)
	c, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		ContainerRequest: testcontainers.ContainerRequest{
			Image: n.image.name, Entrypoint: command[:1], Cmd: command[1:], Env: env, Labels: labels,
			ConfigModifier: func(c *container.Config) { c.User, c.WorkingDir = n.recipe.as().String(), data },
			HostConfigModifier: func(h *container.HostConfig) {
				h.NetworkMode, h.UsernsMode, h.Binds = "host", "host", n.mounts
				h.SecurityOpt = []string{"label=disable"} // SELinux would deny access to its directory
			},
		},
	})
	if c != nil {
		n.id = c.GetContainerID()
	}
	if err != nil {
		return fmt.Errorf("make a container of %s: %w", n.image.name, err)
	}
	return nil
}

// launch runs the container and waits until the server answers. The caller holds n.mu.
func (n *Node) launch(ctx context.Context) error {
	if n.recipe.prepare != nil {
		if err := n.recipe.prepare(n.spec, n.dir, n.recipe.as()); err != nil {
			return err
		}
	}
	if n.id == "" {
		if err := n.create(ctx); err != nil {
			return err
		}
	}
	since := time.Now()
	if _, err := n.engine.ContainerStart(ctx, n.id, client.ContainerStartOptions{}); err != nil {
		return err
	}
	n.paused = false
	file := filepath.Join(n.logDir(), n.spec.Server+".log")
	if err := n.keepLog(file, since); err != nil {
		return err
	}
	c, err := n.engine.ContainerInspect(ctx, n.id, client.ContainerInspectOptions{})
	if err != nil {
		return err
	}
	n.pid = c.Container.State.Pid
	if n.spec.Started != nil {
		n.spec.Started(n.pid)
	}
	if err := n.await(ctx); err != nil {
		if n.mustRun(ctx) == nil {
			err = errors.Join(err, n.kill(ctx))
		}
		return fmt.Errorf("%w; %s ends with: %s", err, file, tail(file))
	}
	return nil
}

// await polls the server until it answers.
func (n *Node) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for tries := 0; ; tries++ {
		version, err := n.kind.Ready(ctx, n.spec)
		// The answer might stem from another server on the same port.
		if err == nil || tries%20 == 0 {
			if down := n.mustRun(ctx); down != nil {
				return fmt.Errorf("%s ended: %w", n.spec.Server, down)
			}
		}
		if err == nil {
			n.version = version
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s does not answer: %w", n.spec.Server, err)
		}
		select {
		case <-time.After(pollTime):
		case <-ctx.Done():
		}
	}
}

// logDir returns the directory of the logs.
func (n *Node) logDir() string {
	if n.spec.LogDir != "" {
		return n.spec.LogDir
	}
	return filepath.Join(n.dir, "log")
}

// keepLog appends the output of the container to a file until the container ends.
func (n *Node) keepLog(file string, since time.Time) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.hush = append(n.hush, cancel)
	r, err := n.engine.ContainerLogs(ctx, n.id, client.ContainerLogsOptions{
		ShowStdout: true, ShowStderr: true, Follow: true, Since: since.Format(time.RFC3339Nano),
	})
	if err != nil { // the engine stores logs elsewhere
		_, werr := fmt.Fprintf(f, "torture: the engine tells no logs: %v\n", err)
		return errors.Join(werr, f.Close())
	}
	n.logs.Go(func() {
		defer f.Close()
		defer r.Close()
		_, _ = stdcopy.StdCopy(f, f, r) // it returns when the container has ended
	})
	return nil
}

// endLogs waits until the streams of logs have ended, which they do with the container. The wait is
// bounded by logTime, because the stream of a container that could not be removed never ends.
func (n *Node) endLogs() {
	t := time.AfterFunc(logTime, func() {
		for _, cancel := range n.hush {
			cancel()
		}
	})
	defer t.Stop()
	n.logs.Wait()
	for _, cancel := range n.hush {
		cancel()
	}
}

// remove removes a container and its volumes, even if ctx has expired, because an engine on a busy
// machine may be slow. A missing container is no error.
func (e *engine) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
	defer cancel()
	_, err := e.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) {
		return nil
	}
	return err
}

// ourLabels returns the labels of a new container.
func ourLabels(node string) (map[string]string, error) {
	owner, err := cluster.Owner()
	if err != nil {
		return nil, err
	}
	w, err := world()
	return map[string]string{labelOwner: owner, labelWorld: w, labelNode: node}, err
}

// unprivileged is the user that runs servers which refuse to run as root.
var unprivileged = user{999, 999}

// as returns the user of the server process.
func (r recipe) as() user {
	if u := me(); !r.notRoot || !u.root() {
		return u
	}
	return unprivileged
}
