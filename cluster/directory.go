package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// startDirectory makes an empty directory that all clients share. It starts no server. The path is
// the endpoint of every client. There are no links, because nothing separates a client from the
// file system.
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
