//go:build !linux

package server

import (
	"context"
	"errors"
)

// ErrNoRedis is returned where there is no redis-server, or none that can be stepped.
var ErrNoRedis = errors.New("no redis-server that can be stepped: a clock that stands still needs Linux")

// StartStepped returns ErrNoRedis.
func StartStepped(context.Context) (Server, error) { return nil, ErrNoRedis }
