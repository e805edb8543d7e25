//go:build !engine

package main

import (
	"context"

	"locktorture/cluster/docker"
)

// composed takes the place of the app.Composer of the build with containers.
func composed(context.Context, string, string) (docker.Box, []docker.Box, []string, error) {
	return docker.Box{}, nil, nil, docker.ErrNotCompiled
}
