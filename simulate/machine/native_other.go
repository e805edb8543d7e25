//go:build !linux

package machine

import (
	"context"

	"locktorture/simulate/machine/native"
)

// There are native programs on Linux only.
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

func (*remote) said() []byte { return nil }
