//go:build !linux

package machine

import (
	"context"

	"locktorture/simulate/machine/native"
)

// Native programs there are on Linux alone.
type (
	kin    struct{}
	remote struct{}
)

func loadNative(context.Context, target) (*Program, error) { return nil, native.ErrOther }

func (*kin) start(context.Context, World, []string, []string) (*Process, error) {
	return nil, native.ErrOther
}

func (*kin) close() error { return nil }

func (*remote) step(*Process) {}

func (*remote) close() error { return nil }
