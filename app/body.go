package app

import (
	"context"
	"os"
	"syscall"

	"locktorture/internal/child"
)

// A body is what runs as one process of a replica: a process with its descendants, or a container.
type body interface {
	Alive() bool
	Done() <-chan struct{}
	Err() error // how it ended
	Signal(s syscall.Signal) error
	Pause(ctx context.Context) error // returns when all of it stands still
	Resume(ctx context.Context) error
	Kill(ctx context.Context) error // returns when all of it has ended
}

var _ body = (*child.Child)(nil)

// A starter starts a body with an environment. It writes the output of the body to out, and closes
// that at its end, also if it fails.
type starter func(env []string, out *os.File) (body, error)
