// Package clock gives a server a wall clock of its own, without root and
// without touching the host's: a small shared object, compiled from the C source
// in this package when it is first needed, is preloaded into the server and
// shifts what the C library says about the time of day.
//
// It works for programs that ask libc. Programs in Go do not, and a clock that
// a program reads as CLOCK_MONOTONIC is left alone on purpose.
package clock

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed src/clock.c
var source []byte

// ErrNoCompiler is returned where the shared object cannot be built.
var ErrNoCompiler = errors.New("moving a server's clock needs a C compiler (gcc or cc) on PATH, once")

// Build returns the path of the shared object. It is built at first use and
// kept in the user's cache directory under a name that depends on the source.
func Build(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("build clock: %w", err)
	}
	dir := filepath.Join(cache, "torture")
	object := filepath.Join(dir, fmt.Sprintf("clock-%x.so", sha256.Sum256(source))[:len("clock-")+16]+".so")
	if _, err := os.Stat(object); err == nil {
		return object, nil
	}
	cc, err := compiler()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("build clock: %w", err)
	}
	if err := compile(ctx, cc, dir, object); err != nil {
		return "", fmt.Errorf("build clock: %w", err)
	}
	return object, nil
}

// compiler finds a C compiler.
func compiler() (string, error) {
	for _, name := range []string{"gcc", "cc"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoCompiler
}

// compile makes the object beside its final place and moves it there, so that
// nobody sees half of it.
func compile(ctx context.Context, cc, dir, object string) error {
	tmp, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "clock.so")
	cmd := exec.CommandContext(ctx, cc, "-shared", "-fPIC", "-O2", "-Wall", "-x", "c", "-o", out, "-", "-ldl")
	cmd.Stdin = strings.NewReader(string(source))
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cc, err, b)
	}
	return os.Rename(out, object)
}
