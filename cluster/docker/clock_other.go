//go:build engine && !linux

package docker

import (
	"context"
	"errors"
)

// newClock returns an error: moving a clock needs Linux.
func newClock(context.Context, string) (clock, error) {
	return nil, errors.New("moving a server's clock needs Linux")
}
