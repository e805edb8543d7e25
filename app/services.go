package app

import (
	"context"
	"fmt"

	"locktorture/cluster"
	"locktorture/cluster/docker"
)

// Boxed reports whether the replicas run in containers.
func (f *File) Boxed() bool { return f.Image != "" || f.Compose != "" }

// A Composer reads a compose file: the replicated service, the services that are started before it,
// and what is left out.
type Composer func(ctx context.Context, path, replicated string) (replica docker.Box, services []docker.Box, leftOut []string, err error)

// Contain completes a file whose replicas run in containers: what the compose file says, and the
// images.
func (f *File) Contain(ctx context.Context, site docker.Site, read Composer) (err error) {
	f.Box = docker.Box{Name: f.App, Image: f.Image}
	if f.Compose != "" {
		if len(f.Servers) > 0 {
			return fmt.Errorf("%s: servers: remove them; they come from %s", f.Path, f.Compose)
		}
		if f.Box, f.Services, f.LeftOut, err = read(ctx, f.Compose, f.Service); err != nil {
			return err
		}
	}
	for i := range f.Services {
		b := &f.Services[i]
		switch kind, err := b.Open(ctx, site); {
		case err != nil:
			return err
		case b.Task:
		case kind == "":
			f.LeftOut = append(f.LeftOut, "links to "+b.Name+", whose port is not known (expose names one)")
		default:
			f.Servers = append(f.Servers, Server{Name: b.Name, Topology: kind})
		}
	}
	_, err = f.Box.Open(ctx, site)
	return err
}

// service returns a service of the compose file, or nil.
func (f *File) service(name string) *docker.Box {
	for i := range f.Services {
		if f.Services[i].Name == name {
			return &f.Services[i]
		}
	}
	return nil
}

// Serve starts the services of the compose file, if there is one.
func (a *Act) Serve(ctx context.Context, site docker.Site, dir string) (err error) {
	a.site = site
	a.served, err = docker.Serve(ctx, site, a.File.Services, dir, docker.Limits{Ready: a.File.Limits.Ready, Task: a.File.Limits.Before})
	return err
}

// adopt gives clients links to a service. It returns nil for a server that torture starts.
func (a *Act) adopt(s Server, clients int) (*cluster.Cluster, error) {
	b := a.File.service(s.Name)
	if b == nil {
		return nil, nil
	}
	return b.Adopt(a.served[s.Name], clients)
}
