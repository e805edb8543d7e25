package machine

import (
	"context"
	"fmt"
	"strings"
)

// LoadTest builds the test of the package in a directory for wasip1, with the given flags of
// Go, and compiles it, each only once for the same source, as Load does. The program must
// export a function without arguments, run, that is the life of a process. The error is a
// CompileError where the package cannot be compiled.
func LoadTest(ctx context.Context, e Engine, dir string, flags ...string) (*Program, error) {
	return load(ctx, e, target{kind: "test", dir: dir, list: []string{"-test", "."}, build: []string{"test", "-c"}, name: ".", flags: flags, closed: true})
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
