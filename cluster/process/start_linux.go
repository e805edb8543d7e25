package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/process/clock"
	"locktorture/cluster/server"
)

// Serves returns nil if the server of a need is installed. Every installed server has all features
// that a topology needs.
func (p *Provisioner) Serves(need string) error {
	_, _, err := p.find(need)
	return err
}

// find returns a kind of server and its program.
func (p *Provisioner) find(need string) (program, string, error) {
	kind, _, _ := strings.Cut(need, ":")
	s, ok := programs()[kind]
	if !ok {
		return nil, "", fmt.Errorf("process: %s cannot be started as a process", kind)
	}
	path, err := s.find(p.dirs)
	if err != nil {
		return nil, "", fmt.Errorf("process: %w", err)
	}
	return s, path, nil
}

// Start starts a server and returns once it answers. The node is a *ClockedNode if its clock can be
// moved, otherwise a *Node.
func (p *Provisioner) Start(ctx context.Context, s cluster.Spec) (cluster.Node, error) {
	kind, path, err := p.find(s.Server)
	if err != nil {
		return nil, err
	}
	if len(s.Ports) == 0 {
		return nil, fmt.Errorf("start %s: no port reserved", s.Name)
	}
	dir, err := cluster.NewDataDir(s.Name)
	if err != nil {
		return nil, err
	}
	n := &Node{spec: s, kind: kind, program: path, dir: dir, logDir: s.LogDir}
	if n.logDir == "" {
		n.logDir = filepath.Join(dir, "log")
	}
	n.clock, n.noClock = newClock(ctx, kind, dir)
	if err := n.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", s.Name, err), n.Stop(context.WithoutCancel(ctx)))
	}
	if n.clock == nil {
		return n, nil
	}
	return &ClockedNode{Node: n}, nil
}

// begin prepares the directories and starts the node for the first time.
func (n *Node) begin(ctx context.Context) error {
	for _, dir := range []string{n.data(), n.logDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.launch(ctx)
}

// newClock returns the clock of a node, or nil and the reason why there is none.
func newClock(ctx context.Context, k program, dir string) (*clock.Clock, string) {
	if why := server.WhyNoClock(k); why != "" {
		return nil, why
	}
	object, err := clock.Build(ctx)
	if err != nil {
		return nil, err.Error()
	}
	c, err := clock.New(object, filepath.Join(dir, "clock"))
	if err != nil {
		return nil, err.Error()
	}
	return c, ""
}
