//go:build engine && !linux

package docker

import (
	"context"
	"errors"
)

// newClock says that there is none.
func newClock(context.Context, string) (clock, error) {
	return nil, errors.New("moving a server's clock needs Linux")
}
