//go:build engine

package main

import (
	"context"

	"locktorture/cluster/docker"
	"locktorture/cluster/docker/compose"
)

// composed is the app.Composer.
func composed(ctx context.Context, path, replicated string) (docker.Box, []docker.Box, []string, error) {
	p, err := compose.Read(ctx, path, replicated)
	return p.Replica, p.Services, p.LeftOut, err
}
