// Package docker makes nodes out of containers, through testcontainers-go: servers in pinned
// versions, which need not be installed. The containers share the network of the host, so that
// every topology works as it does with processes; hence it needs Linux and an engine on this
// machine.
package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

var _ cluster.Provisioner = (*Provisioner)(nil)

// Name is what this provisioner is called on the command line.
const Name = "docker"

// A Provisioner starts servers in containers. Its methods may be called from
// several goroutines.
type Provisioner struct {
	images map[string]string

	mu     sync.Mutex
	engine *engine
	found  map[string]image // by server, once it was looked for
	absent map[string]error // by server
	silent map[string]error // registries that do not answer
}

// New returns a provisioner that takes the image of a server ("redis": "redis:7.2")
// from the map, or its default.
func New(images map[string]string) *Provisioner {
	return &Provisioner{
		images: maps.Clone(images), found: map[string]image{}, absent: map[string]error{}, silent: map[string]error{},
	}
}

// String returns Name.
func (p *Provisioner) String() string { return Name }

// Serves returns nil if an engine runs and has the image of a server, or can get it.
func (p *Provisioner) Serves(need string) error {
	kind, _, _ := strings.Cut(need, ":")
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	_, _, err := p.prepare(ctx, kind)
	if err != nil {
		return fmt.Errorf("docker: %w", err)
	}
	return nil
}

// prepare returns the engine and the image of a kind of server.
func (p *Provisioner) prepare(ctx context.Context, kind string) (*engine, image, error) {
	if _, ok := recipes()[kind]; !ok {
		return nil, image{}, fmt.Errorf("%s cannot be started in a container", kind)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine == nil {
		e, err := newEngine(ctx)
		if err != nil {
			return nil, image{}, err
		}
		p.engine = e
		p.quietLibrary(ctx)
	}
	if i, ok := p.found[kind]; ok {
		return p.engine, i, nil
	}
	if err := p.absent[kind]; err != nil {
		return nil, image{}, err
	}
	i, err := p.look(ctx, kind)
	if err != nil {
		p.absent[kind] = err
		return nil, image{}, err
	}
	p.found[kind] = i
	return p.engine, i, nil
}

// Start starts a server and returns once it answers. The node is a *ClockedNode if its
// clock can be moved, else a *Node.
func (p *Provisioner) Start(ctx context.Context, s cluster.Spec) (cluster.Node, error) {
	e, img, err := p.prepare(ctx, s.Server)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	if len(s.Ports) == 0 {
		return nil, fmt.Errorf("start %s: no port reserved", s.Name)
	}
	dir, err := cluster.NewDataDir(s.Name)
	if err != nil {
		return nil, err
	}
	n := &Node{spec: s, recipe: recipes()[s.Server], kind: server.Kinds()[s.Server], engine: e, image: img, dir: dir}
	if err := n.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", s.Name, err), n.Stop(context.WithoutCancel(ctx)))
	}
	if n.clock == nil {
		return n, nil
	}
	return &ClockedNode{Node: n}, nil
}

// Servers are the names by which images are chosen.
func Servers() []string { return slices.Sorted(maps.Keys(Defaults())) }

// me is whom the servers run as, so that this process can look at them and remove their
// files. It is not root's business that PostgreSQL refuses root.
func me() user { return user{os.Getuid(), os.Getgid()} }

type user struct{ uid, gid int }

func (u user) String() string { return fmt.Sprintf("%d:%d", u.uid, u.gid) }
func (u user) root() bool     { return u.uid == 0 }
