//go:build engine

package docker

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	api "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"locktorture/internal/child"
)

// A boxed is a Container.
type boxed struct {
	site *site
	box  Box
	id   string
	net  string // id of its first network
}

// healthEvery is the interval between two health checks of a service. It is short, because other
// services wait until the service is healthy.
const healthEvery = 500 * time.Millisecond

// Add implements Site.
func (s *site) Add(ctx context.Context, b Box, hosts []string, in ...Network) (Container, error) {
	labels, err := ourLabels(b.Name)
	if err != nil {
		return nil, err
	}
	config := &api.Config{
		Image: b.Image, Entrypoint: b.Entrypoint, Cmd: b.Command, Env: b.Env, User: b.User, WorkingDir: b.Dir,
		Hostname: b.Host, StopSignal: b.StopSignal, Tty: b.TTY, Labels: labels,
	}
	if b.Health != nil {
		config.Healthcheck = &api.HealthConfig{Test: b.Health, Interval: healthEvery, Retries: 1000}
	}
	host := &api.HostConfig{
		ExtraHosts: hosts, Privileged: b.Privileged, ReadonlyRootfs: b.ReadOnly, CapAdd: b.CapAdd, CapDrop: b.CapDrop,
		ShmSize: b.ShmSize, Init: &b.Init, NetworkMode: api.NetworkMode(in[0].ID),
		Resources: api.Resources{Memory: b.Memory, NanoCPUs: b.NanoCPUs},
	}
	for _, m := range b.Mounts {
		if m.Type == string(mount.TypeVolume) && m.Source != "" {
			if m.Source, err = s.volume(ctx, m.Source); err != nil {
				return nil, err
			}
		}
		host.Mounts = append(host.Mounts, mount.Mount{Type: mount.Type(m.Type), Source: m.Source, Target: m.Target, ReadOnly: m.ReadOnly})
	}
	first := map[string]*network.EndpointSettings{in[0].ID: {Aliases: b.Names()}}
	made, err := s.engine.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config: config, HostConfig: host, NetworkingConfig: &network.NetworkingConfig{EndpointsConfig: first},
	})
	if err != nil {
		return nil, fmt.Errorf("make a container of %s: %w", b.Image, err)
	}
	c := &boxed{site: s, box: b, id: made.ID, net: in[0].ID}
	s.mu.Lock()
	s.containers = append(s.containers, c)
	s.mu.Unlock()
	for _, n := range in[1:] {
		if _, err := s.engine.NetworkConnect(ctx, n.ID, client.NetworkConnectOptions{Container: c.id}); err != nil {
			return nil, fmt.Errorf("connect %s with its second network: %w", b.Name, err)
		}
	}
	return c, nil
}

// Start implements Container.
func (c *boxed) Start(ctx context.Context, out *os.File) (Running, error) {
	e := c.site.engine
	life, end := context.WithCancel(context.Background())
	failed := func(err error) (Running, error) {
		end()
		_ = out.Close()
		return nil, fmt.Errorf("start a container of %s: %w", c.box.Image, err)
	}
	said, err := e.ContainerAttach(ctx, c.id, client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		return failed(err)
	}
	over := e.ContainerWait(life, c.id, client.ContainerWaitOptions{Condition: api.WaitConditionNextExit})
	if _, err := e.ContainerStart(ctx, c.id, client.ContainerStartOptions{}); err != nil {
		said.Close()
		return failed(err)
	}
	r := &running{boxed: c, done: make(chan struct{})}
	go func() {
		defer out.Close()
		defer said.Close()
		if c.box.TTY {
			_, _ = said.Reader.WriteTo(out) // the stream ends with the container
			return
		}
		_, _ = stdcopy.StdCopy(out, out, said.Reader)
	}()
	go func() {
		defer end()
		select {
		case <-life.Done():
		case err := <-over.Error:
			r.err = fmt.Errorf("the engine lost sight of it: %w", err)
		case how := <-over.Result:
			r.err = ended(how.StatusCode)
		}
		close(r.done)
	}()
	i, err := e.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
	if err != nil {
		return nil, err
	}
	r.pid = i.Container.State.Pid
	for _, n := range i.Container.NetworkSettings.Networks {
		if n.NetworkID == c.net {
			r.addr = n.IPAddress.String()
		}
	}
	return r, nil
}

// ended returns an error that says how a container has ended. It is child.ErrExited for status 0.
func ended(status int64) error {
	if status == 0 {
		return child.ErrExited
	}
	if s := syscall.Signal(status - 128); s == syscall.SIGKILL || s == syscall.SIGTERM {
		return fmt.Errorf("signal: %v", s)
	}
	return fmt.Errorf("exit status %d", status)
}

// A running is a Running.
type running struct {
	*boxed
	pid  int
	addr string
	done chan struct{} // closed when the container has ended
	err  error         // set before done is closed

	mu     sync.Mutex // guards paused, and orders a pause with a kill
	paused bool
}

// PID implements Running.
func (r *running) PID() int { return r.pid }

// Addr implements Running.
func (r *running) Addr() string { return r.addr }

// Done implements Running.
func (r *running) Done() <-chan struct{} { return r.done }

// Alive implements Running.
func (r *running) Alive() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// Err implements Running.
func (r *running) Err() error {
	if r.Alive() {
		return nil
	}
	return r.err
}

// Health implements Running. It returns "" if the container has no health check.
func (r *running) Health(ctx context.Context) (string, error) {
	i, err := r.site.engine.ContainerInspect(ctx, r.id, client.ContainerInspectOptions{})
	if err != nil || i.Container.State.Health == nil {
		return "", err
	}
	return string(i.Container.State.Health.Status), nil
}

// Signal implements Running. In place of SIGTERM it sends the stop signal of the box, if the
// box has one.
func (r *running) Signal(s syscall.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), pingTime)
	defer cancel()
	name := fmt.Sprint(int(s))
	if s == syscall.SIGTERM && r.box.StopSignal != "" {
		name = r.box.StopSignal
	}
	_, err := r.site.engine.ContainerKill(ctx, r.id, client.ContainerKillOptions{Signal: name})
	return err
}

// Pause implements Running.
func (r *running) Pause(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := freeze(ctx, r.site.engine, r.id); err != nil {
		return err
	}
	r.paused = true
	return nil
}

// Resume implements Running.
func (r *running) Resume(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resume(ctx)
}

func (r *running) resume(ctx context.Context) error {
	if !r.paused {
		return nil
	}
	_, err := r.site.engine.ContainerUnpause(ctx, r.id, client.ContainerUnpauseOptions{})
	r.paused = err != nil
	return err
}

// Kill implements Running. It first resumes a paused container, because an engine does not kill a
// frozen one.
func (r *running) Kill(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.Alive() {
		return nil
	}
	_ = r.resume(ctx) // if this fails, the kill fails as well
	_, err := r.site.engine.ContainerKill(ctx, r.id, client.ContainerKillOptions{Signal: "KILL"})
	if err != nil && r.Alive() && !strings.Contains(err.Error(), "is not running") {
		return err
	}
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
