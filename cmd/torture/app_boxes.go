package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locktorture/app"
	"locktorture/cluster/docker"
)

// anEngine says how to get a Docker engine.
const anEngine = "image and compose need a Docker engine on this machine. To install an engine: apt-get install docker.io on Debian and Ubuntu, " +
	"docs.docker.com/engine/install on other systems. The engine must run (systemctl start docker). You must be in the group docker, or root. DOCKER_HOST can name the engine's socket"

// contain applies the flags about replicas, and completes a file whose replicas run in containers.
func (s *appSpec) contain(ctx context.Context, f *app.File) error {
	if s.Compose != "" {
		f.Compose = s.Compose
	}
	if err := s.count(f); err != nil || !f.Boxed() {
		return err
	}
	if err := docker.Answers(ctx); err != nil {
		return fmt.Errorf("%w; %s", err, anEngine)
	}
	if !docker.Compiled {
		return docker.ErrNotCompiled
	}
	site, err := docker.OpenSite(ctx)
	if err != nil {
		return err
	}
	s.site = site
	return f.Contain(ctx, site, composed)
}

// count reads --replicas.
func (s *appSpec) count(f *app.File) error {
	if s.Replicas == "" {
		return nil
	}
	service, number, named := strings.Cut(s.Replicas, "=")
	if !named {
		service, number = f.Service, s.Replicas
	}
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 1 || n > app.Most:
		return fmt.Errorf("--replicas %s: must be a whole number from 1 to %d, or SERVICE=NUMBER", s.Replicas, app.Most)
	case named && f.Compose == "":
		return fmt.Errorf("--replicas %s: SERVICE=NUMBER needs a compose file; name one with --compose", s.Replicas)
	}
	f.Service, f.Replicas = service, n
	return nil
}

// leave removes all containers and networks of the run.
func (s *appSpec) leave(out io.Writer) {
	if err := s.site.Close(); err != nil {
		fmt.Fprintf(out, "torture: not all containers were removed: %v; torture clean removes them\n", err)
	}
}
