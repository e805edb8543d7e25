package site

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"locktorture/cluster"
	"locktorture/registry"
)

// Servers are what programs need and do not start themselves.
type servers struct{ zookeeper *cluster.Cluster }

// environment returns what a finding's program must be told, and starts what it needs. Servers that
// were built for torture are found before others.
func (s *servers) environment(ctx context.Context, root string, f Finding) ([]string, error) {
	env := []string{"PATH=" + filepath.Join(root, "bin", "servers") + string(os.PathListSeparator) + os.Getenv("PATH")}
	text, err := os.ReadFile(filepath.Join(f.Dir, "main.go"))
	if err != nil || !strings.Contains(string(text), `os.Getenv("ZOOKEEPER")`) {
		return env, nil // a program in another language starts its own
	}
	if s.zookeeper == nil {
		const topology = "zookeeper-3"
		p, _, err := registry.Servers{Cluster: registry.Automatic}.For(topology)
		if err != nil {
			return nil, err
		}
		if s.zookeeper, err = cluster.Start(ctx, topology, p, 1, ""); err != nil {
			return nil, err
		}
	}
	return append(env, "ZOOKEEPER="+s.zookeeper.Endpoints(1)[0]), nil
}

func (s *servers) close() error {
	if s.zookeeper == nil {
		return nil
	}
	return s.zookeeper.Close()
}
