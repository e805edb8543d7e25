//go:build engine

package docker

import (
	"context"
	"os"
	"path/filepath"

	clocks "locktorture/cluster/process/clock"
)

// newClock makes a clock in a directory, and copies the shared object there.
func newClock(ctx context.Context, dir string) (clock, error) {
	built, err := clocks.Build(ctx)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(built)
	if err != nil {
		return nil, err
	}
	object := filepath.Join(dir, clockObject)
	if err := os.WriteFile(object, b, 0o755); err != nil {
		return nil, err
	}
	c, err := clocks.New(object, filepath.Join(dir, clockFile))
	if err != nil {
		return nil, err
	}
	return c, nil
}
