package machine

import (
	"context"
	"fmt"
	"strings"
)

// LoadTest builds the test of the package in a directory, with the given flags of Go, as a native
// program or for wasip1, and compiles what was built for wasip1, each only once for the same
// source, as Load does. A native program must be born in a nursery (simulate/nursery), one for
// wasip1 must export a function without arguments, run, that is the life of a process. What can
// be native on this machine, but does not compile so, is tried for wasip1. The error is a
// CompileError where the package cannot be compiled for that.
func LoadTest(ctx context.Context, e Engine, dir string, k Kind, flags ...string) (*Program, error) {
	return loadKind(ctx, e, k, target{kind: "test", dir: dir, list: []string{"-test", "."}, build: []string{"test", "-c", "-vet=off"}, name: ".", flags: flags, closed: true})
}

// A CompileError is what Go says of a program that it cannot compile for wasip1.
type CompileError struct {
	Listing bool // its packages could not even be listed
	Output  string
	Err     error // of the command of Go; wraps exec.ErrNotFound where there is no Go
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("compile for wasip1: %v\n%s", e.Err, strings.TrimSpace(e.Output))
}

// Unwrap is the error of the command.
func (e *CompileError) Unwrap() error { return e.Err }
