//go:build engine

package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// A site is a Site.
type site struct {
	engine *engine
	prefix string // begins the names of its networks and volumes

	mu         sync.Mutex
	containers []*boxed
	networks   []string
	volumes    []string
}

// OpenSite returns a site without containers.
func OpenSite(ctx context.Context) (Site, error) {
	e, err := newEngine(ctx)
	if err != nil {
		return nil, err
	}
	return &site{engine: e, prefix: "torture-" + strings.ToLower(rand.Text()[:8]) + "-"}, nil
}

// Image implements Site.
func (s *site) Image(ctx context.Context, b Box) ([]int, error) {
	image, err := s.engine.ImageInspect(ctx, b.Image)
	if errdefs.IsNotFound(err) {
		if b.Build != "" {
			return nil, fmt.Errorf("%s: the image %s is not here; %s makes it", b.Name, b.Image, b.Build)
		}
		if err := s.pull(ctx, b.Image); err != nil {
			return nil, fmt.Errorf("%s: the image %s is not here and cannot be pulled: %w", b.Name, b.Image, err)
		}
		image, err = s.engine.ImageInspect(ctx, b.Image)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	ports := slices.Clone(b.Ports)
	if image.Config != nil {
		for p := range image.Config.ExposedPorts {
			number, udp := strings.CutSuffix(strings.TrimSuffix(p, "/tcp"), "/udp")
			if n, err := strconv.Atoi(number); err == nil && !udp && !slices.Contains(ports, n) {
				ports = append(ports, n)
			}
		}
	}
	slices.Sort(ports[len(b.Ports):])
	return ports, nil
}

func (s *site) pull(ctx context.Context, image string) error {
	fmt.Fprintf(os.Stderr, "torture: pulling %s ...\n", image)
	r, err := s.engine.ImagePull(ctx, image, client.ImagePullOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Wait(ctx)
}

// Network implements Site.
func (s *site) Network(ctx context.Context, name string) (Network, error) {
	labels, err := ourLabels(name)
	if err != nil {
		return Network{}, err
	}
	made, err := s.engine.NetworkCreate(ctx, s.prefix+name, client.NetworkCreateOptions{Driver: "bridge", Labels: labels})
	if err != nil {
		return Network{}, fmt.Errorf("make a network for %s: %w", name, err)
	}
	s.mu.Lock()
	s.networks = append(s.networks, made.ID)
	s.mu.Unlock()
	n, err := s.engine.NetworkInspect(ctx, made.ID, client.NetworkInspectOptions{})
	if err != nil {
		return Network{}, err
	}
	for _, c := range n.Network.IPAM.Config {
		if c.Gateway.Is4() {
			return Network{made.ID, c.Gateway.String()}, nil
		}
	}
	return Network{}, fmt.Errorf("the engine gave the network of %s no IPv4 address", name)
}

// volume returns the engine's name of a volume of this site. It makes the volume when the first
// container mounts it.
func (s *site) volume(ctx context.Context, name string) (string, error) {
	full := s.prefix + name
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.volumes, full) {
		return full, nil
	}
	labels, err := ourLabels(name)
	if err != nil {
		return "", err
	}
	if _, err := s.engine.VolumeCreate(ctx, client.VolumeCreateOptions{Name: full, Labels: labels}); err != nil {
		return "", fmt.Errorf("make volume %s: %w", name, err)
	}
	s.volumes = append(s.volumes, full)
	return full, nil
}

// Close implements Site.
func (s *site) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	var removing sync.WaitGroup
	gone := make([]error, len(s.containers))
	for i, c := range s.containers {
		removing.Go(func() { gone[i] = s.engine.remove(ctx, c.id) })
	}
	removing.Wait()
	errs = append(errs, gone...)
	for _, id := range s.networks {
		_, err := s.engine.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
		errs = append(errs, err)
	}
	for _, name := range s.volumes {
		_, err := s.engine.VolumeRemove(ctx, name, client.VolumeRemoveOptions{Force: true})
		errs = append(errs, err)
	}
	s.containers, s.networks, s.volumes = nil, nil, nil
	return errors.Join(append(errs, s.engine.Close())...)
}
