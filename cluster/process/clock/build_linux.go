// Package clock gives a server a wall clock of its own, without root and without a change of the
// host's clock: a small shared object is compiled from the C source in this package at its first
// use, preloaded into the server, and shifts the time of day that the C library returns.
//
// It works only for programs that read the time through libc, so not for programs in Go. It
// deliberately leaves CLOCK_MONOTONIC unchanged.
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

// ErrNoCompiler is returned if the shared object cannot be built.
var ErrNoCompiler = errors.New("moving a server's clock needs a C compiler (gcc or cc) on PATH, once")

// Build returns the path of the shared object. It is built at its first use and stored in the
// user's cache directory under a name that depends on the source.
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

// compiler returns the path of a C compiler.
func compiler() (string, error) {
	for _, name := range []string{"gcc", "cc"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoCompiler
}

// compile builds the object in a temporary directory and then moves it to its path, so that no
// process can load a part of it.
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
