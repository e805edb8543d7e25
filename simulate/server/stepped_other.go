//go:build !linux

package server

import (
	"context"
	"errors"
)

// ErrNoRedis reports that redis-server is missing or cannot be stepped.
var ErrNoRedis = errors.New("no redis-server that can be stepped: a clock that stands still needs Linux")

// StartStepped returns ErrNoRedis.
func StartStepped(context.Context) (Server, error) { return nil, ErrNoRedis }
