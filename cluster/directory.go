package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// startDirectory makes an empty directory that all clients share, and starts no server. Its
// path is the one endpoint of every client; it has no links, because nothing lies between a
// client and the file system.
func startDirectory(_ context.Context, b *builder) error {
	dir, err := NewDataDir(b.Topology)
	if err != nil {
		return err
	}
	b.onClose(func(context.Context) error { return os.RemoveAll(dir) })
	shared := filepath.Join(dir, "shared")
	if err := os.Mkdir(shared, 0o755); err != nil {
		return fmt.Errorf("make shared directory: %w", err)
	}
	b.cluster.endpoints = func(int) []string { return []string{shared} }
	return nil
}
