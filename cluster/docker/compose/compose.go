// Package compose reads the compose file of a program of which one service is replicated. The plain
// torture does not import this package, because only few users need its library.
package compose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"

	"locktorture/cluster/docker"
	"locktorture/internal/suggest"
)

// A Program is the program that a compose file describes.
type Program struct {
	Replica  docker.Box   // container of the replicated service
	Services []docker.Box // the other services, each after the services that it needs
	LeftOut  []string     // services that are not started, with the reason
}

// Read reads a compose file. It takes the values of variables from the environment and from the
// file .env beside the compose file. replicated names the replicated service; if it is "", Read
// chooses the only service that is built from source.
func Read(ctx context.Context, path, replicated string) (Program, error) {
	o, err := cli.NewProjectOptions([]string{path}, cli.WithOsEnv, cli.WithEnvFiles(), cli.WithDotEnv, cli.WithDefaultProfiles())
	if err != nil {
		return Program{}, fmt.Errorf("%s: %w", path, err)
	}
	p, err := o.LoadProject(ctx)
	if err != nil {
		return Program{}, fmt.Errorf("%s: %w", path, errors.New(strings.TrimPrefix(err.Error(), path+": ")))
	}
	if replicated, err = choose(p, replicated); err != nil {
		return Program{}, fmt.Errorf("%s: %w", path, err)
	}
	r := reading{project: p, replicated: replicated, seen: map[string]bool{}}
	if r.program.Replica, err = r.box(p.Services[replicated]); err != nil {
		return Program{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Services)) {
		if err := r.visit(name); err != nil {
			return Program{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	return r.program, nil
}

// choose returns the name of the replicated service: name, or the only service that is built from
// source if name is "".
func choose(p *types.Project, name string) (string, error) {
	if s, off := p.DisabledServices[name]; off {
		return "", fmt.Errorf("service %s is not enabled; it is with COMPOSE_PROFILES=%s", name, s.Profiles[0])
	}
	if len(p.Services) == 0 {
		if off := p.DisabledServiceNames(); len(off) > 0 {
			return "", fmt.Errorf("no service is enabled; %s is with COMPOSE_PROFILES=%s", off[0], p.DisabledServices[off[0]].Profiles[0])
		}
		return "", errors.New("it has no service")
	}
	if name != "" {
		if err := suggest.Among(name, p.ServiceNames()); err != nil {
			return "", fmt.Errorf("service %w", err)
		}
		return name, nil
	}
	var built []string
	for _, s := range p.Services {
		if s.Build != nil {
			built = append(built, s.Name)
		}
	}
	if len(built) != 1 {
		return "", fmt.Errorf("name the service that is replicated, such as --replicas %s=3; there are %s", p.ServiceNames()[0], strings.Join(p.ServiceNames(), ", "))
	}
	return built[0], nil
}

// A reading converts a compose project to a Program.
type reading struct {
	project    *types.Project
	replicated string
	seen       map[string]bool
	program    Program
}

// visit adds a service after the services that it needs. It leaves out a service that needs the
// replicated one.
func (r *reading) visit(name string) error {
	if r.seen[name] || name == r.replicated {
		return nil
	}
	r.seen[name] = true
	if r.needs(name, r.replicated) {
		r.program.LeftOut = append(r.program.LeftOut, "service "+name+", which needs "+r.replicated)
		return nil
	}
	s := r.project.Services[name]
	for _, other := range slices.Sorted(maps.Keys(s.DependsOn)) {
		if err := r.visit(other); err != nil {
			return err
		}
	}
	b, err := r.box(s)
	r.program.Services = append(r.program.Services, b)
	return err
}

// needs reports whether a service depends on another one, directly or indirectly. It terminates,
// because the library rejects circular dependencies.
func (r *reading) needs(name, other string) bool {
	for d := range r.project.Services[name].DependsOn {
		if d == other || r.needs(d, other) {
			return true
		}
	}
	return false
}

// box describes the container of a service.
func (r *reading) box(s types.ServiceConfig) (docker.Box, error) {
	for key, value := range map[string]string{"network_mode": s.NetworkMode, "pid": s.Pid, "ipc": s.Ipc} {
		if value != "" && value != "none" && value != "private" && value != "shareable" && value != "bridge" {
			return docker.Box{}, fmt.Errorf("service %s: %s: %s is not supported: each replica has a network of its own", s.Name, key, value)
		}
	}
	b := docker.Box{
		Name: s.Name, Image: s.Image, Entrypoint: s.Entrypoint, Command: s.Command, User: s.User, Dir: s.WorkingDir, Host: s.Hostname,
		StopSignal: s.StopSignal, Init: s.Init != nil && *s.Init, Privileged: s.Privileged, ReadOnly: s.ReadOnly, TTY: s.Tty,
		CapAdd: s.CapAdd, CapDrop: s.CapDrop, Memory: int64(s.MemLimit), NanoCPUs: int64(s.CPUS * 1e9), ShmSize: int64(s.ShmSize),
		Needs: s.GetDependencies(),
	}
	if b.Image == "" {
		b.Image = r.project.Name + "-" + s.Name
	}
	for _, name := range r.project.ServiceNames() {
		if other := r.project.Services[name]; other.Build != nil && (name == s.Name || other.Image == b.Image) {
			b.Build = "docker compose build " + name
		}
	}
	for name, value := range s.Environment {
		if value != nil {
			b.Env = append(b.Env, name+"="+*value)
		}
	}
	slices.Sort(b.Env)
	if h := s.HealthCheck; h != nil && !h.Disable {
		b.Health = h.Test
	}
	for _, other := range r.project.Services {
		if other.DependsOn[s.Name].Condition == types.ServiceConditionCompletedSuccessfully {
			b.Task = true
		}
	}
	if s.ContainerName != "" {
		b.Aliases = append(b.Aliases, s.ContainerName)
	}
	for _, n := range s.Networks {
		if n != nil {
			b.Aliases = append(b.Aliases, n.Aliases...)
		}
	}
	var err error
	if b.Ports, err = ports(s); err == nil {
		b.Mounts, err = r.mounts(s)
	}
	return b, err
}

// ports lists the TCP ports of a service: first the ports under "expose", then the ports of the
// container under "ports".
func ports(s types.ServiceConfig) (list []int, err error) {
	add := func(n int) {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	for _, text := range s.Expose {
		number, protocol, _ := strings.Cut(text, "/")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("service %s: expose %s: a single port is needed", s.Name, text)
		}
		if protocol != "udp" {
			add(n)
		}
	}
	for _, p := range s.Ports {
		if p.Protocol != "udp" {
			add(int(p.Target))
		}
	}
	return list, nil
}

// mounts lists the mounts of a service: its volumes and tmpfs, and its secrets and configs, which
// must come from files.
func (r *reading) mounts(s types.ServiceConfig) (list []docker.Mount, err error) {
	for _, v := range s.Volumes {
		if !slices.Contains([]string{types.VolumeTypeBind, types.VolumeTypeVolume, types.VolumeTypeTmpfs}, v.Type) {
			return nil, fmt.Errorf("service %s: a volume of type %s is not supported", s.Name, v.Type)
		}
		list = append(list, docker.Mount{Type: v.Type, Source: v.Source, Target: v.Target, ReadOnly: v.ReadOnly})
	}
	for _, path := range s.Tmpfs {
		target, _, _ := strings.Cut(path, ":")
		list = append(list, docker.Mount{Type: types.VolumeTypeTmpfs, Target: target})
	}
	file := func(kind, name, path, target, usual string) error {
		if path == "" {
			return fmt.Errorf("service %s: %s %s is not from a file: that is not supported", s.Name, kind, name)
		}
		if !strings.HasPrefix(target, "/") {
			target = usual + target
		}
		list = append(list, docker.Mount{Type: types.VolumeTypeBind, Source: path, Target: target, ReadOnly: true})
		return nil
	}
	for _, x := range s.Secrets {
		err = errors.Join(err, file("secret", x.Source, r.project.Secrets[x.Source].File, cmp.Or(x.Target, x.Source), "/run/secrets/"))
	}
	for _, x := range s.Configs {
		err = errors.Join(err, file("config", x.Source, r.project.Configs[x.Source].File, cmp.Or(x.Target, x.Source), "/"))
	}
	return list, err
}
