//go:build engine

package docker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

// registryTime bounds the time in which a registry must answer.
const registryTime = 5 * time.Second

// An image is a container image with a note on its choice.
type image struct {
	name string
	note string // the reason if it is not the requested one, otherwise ""
}

func (i image) String() string {
	if i.note == "" {
		return i.name
	}
	return i.name + " (" + i.note + ")"
}

// look finds the image of a server: the user's choice, else the default, else a local one if the
// default is not available. The caller holds p.mu.
func (p *Provisioner) look(ctx context.Context, kind string) (image, error) {
	named := kind
	if kind == "sentinel" {
		named = "redis"
	}
	local := LocalImage(named)
	if name := p.images[named]; name == Local {
		if !p.engine.has(ctx, local) {
			return image{}, fmt.Errorf("there is no image %s; make images makes it", local)
		}
		return image{name: local}, nil
	} else if name != "" {
		return image{name: name}, p.obtainable(ctx, name)
	}
	name := Defaults()[named]
	err := p.obtainable(ctx, name)
	if err == nil {
		return image{name: name}, nil
	}
	if p.engine.has(ctx, local) {
		return image{name: local, note: name + " cannot be pulled here"}, nil
	}
	return image{}, fmt.Errorf("%w; make images makes one without a registry", err)
}

// obtainable returns nil if the engine has an image or its registry knows it.
func (p *Provisioner) obtainable(ctx context.Context, name string) error {
	if p.engine.has(ctx, name) {
		return nil
	}
	return p.reachable(ctx, name)
}

// reachable asks the registry for an image. It does not repeat the request to a registry that did
// not answer.
func (p *Provisioner) reachable(ctx context.Context, name string) error {
	registry, _, _ := strings.Cut(name, "/")
	if !strings.ContainsAny(registry, ".:") && registry != "localhost" {
		registry = "docker.io"
	}
	if err := p.silent[registry]; err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, registryTime)
	defer cancel()
	_, err := p.engine.DistributionInspect(ctx, name, client.DistributionInspectOptions{})
	if err == nil {
		return nil
	}
	err = fmt.Errorf("the image %s is not here and cannot be pulled: %w", name, err)
	if ctx.Err() != nil || strings.Contains(err.Error(), "dial tcp") {
		p.silent[registry] = err
	}
	return err
}

// has reports whether the engine has an image.
func (e *engine) has(ctx context.Context, name string) bool {
	_, err := e.ImageInspect(ctx, name)
	return err == nil
}
