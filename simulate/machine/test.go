package machine

import (
	"context"
	"fmt"
	"strings"
)

// LoadTest builds the test of the package in a directory, with the given flags of Go, as a native
// program or for wasip1, and caches the result as LoadKind does. A native program must be born in a
// nursery (simulate/nursery). A wasip1 program must export the function run, without arguments,
// which is the main function of a process. Any falls back to wasip1 if the package does not compile
// as a native program. The error is a CompileError if it does not compile for wasip1 either.
func LoadTest(ctx context.Context, e Engine, dir string, k Kind, flags ...string) (*Program, error) {
	return loadKind(ctx, e, k, target{kind: "test", dir: dir, list: []string{"-test", "."}, build: []string{"test", "-c", "-vet=off"}, name: ".", flags: flags, closed: true})
}

// A CompileError holds the go command's output for a program that does not compile for wasip1.
type CompileError struct {
	Listing bool // go list failed, so the packages are not even known
	Output  string
	Err     error // error of the go command; wraps exec.ErrNotFound if Go is missing
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("compile for wasip1: %v\n%s", e.Err, strings.TrimSpace(e.Output))
}

// Unwrap returns the error of the go command.
func (e *CompileError) Unwrap() error { return e.Err }
