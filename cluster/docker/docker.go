//go:build engine

package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// Compiled reports that this program can start containers.
const Compiled = true

var _ cluster.Provisioner = (*Provisioner)(nil)

// A Provisioner starts servers in containers. Its methods may be called from
// several goroutines.
type Provisioner struct {
	images map[string]string

	mu     sync.Mutex
	engine *engine
	found  map[string]image // by server, once the image was looked up
	absent map[string]error // the reason why there is no image, by server
	silent map[string]error // registries that do not answer
}

// New returns a provisioner that uses the image of a server from the map ("redis": "redis:7.2"), or
// else its default.
func New(images map[string]string) *Provisioner {
	return &Provisioner{
		images: maps.Clone(images), found: map[string]image{}, absent: map[string]error{}, silent: map[string]error{},
	}
}

// Serves returns nil if an engine runs and has the image of a server or can pull it.
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

// Start starts a server and returns once it answers. The node is a *ClockedNode if its clock can be
// moved, otherwise a *Node.
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
