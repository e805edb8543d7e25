package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoSource is returned where the guest cannot be built, as there is no Go or not the source of this module.
var ErrNoSource = errors.New("a simulation compiles its clients from the source of torture: run it there, with Go installed")

const module = "locktorture"

// Load builds a command of this module for wasip1 and compiles it, each only if no earlier program of this user has done it
// for the same source. The first takes a few seconds for the build and as many for the compilation.
func Load(ctx context.Context, command string) (*Program, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	cache := filepath.Join(base, "torture", "guest")
	wasm, err := build(ctx, command, cache)
	if err != nil {
		return nil, err
	}
	p, err := Compile(ctx, wasm, filepath.Join(cache, "code"))
	if err != nil {
		return nil, err
	}
	return p, prune(cache)
}

// build returns the module of a command.
func build(ctx context.Context, command, cache string) ([]byte, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	root, version, err := source(ctx)
	if err != nil {
		return nil, err
	}
	sum, err := sumOf(root, version+" "+command)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(cache, fmt.Sprintf("%x.wasm", sum[:12]))
	if wasm, err := os.ReadFile(file); err == nil {
		return wasm, nil
	}
	// Built beside its place and moved there, so that nobody reads half of it.
	tmp, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	defer os.RemoveAll(tmp)
	made := filepath.Join(tmp, "guest.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", made, module+"/"+command)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build guest: %w\n%s", err, out)
	}
	wasm, err := os.ReadFile(made)
	if err != nil {
		return nil, fmt.Errorf("build guest: %w", err)
	}
	return wasm, os.Rename(made, file)
}

// source is the folder of this module, and the version of Go.
func source(ctx context.Context) (root, version string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	var said bytes.Buffer
	cmd.Stderr = &said
	dir, err := cmd.Output()
	if root = strings.TrimSpace(string(dir)); err != nil || root == "" {
		return "", "", fmt.Errorf("%w: %v %s", ErrNoSource, err, said.Bytes())
	}
	cmd = exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOFLAGS", "GOEXPERIMENT")
	cmd.Dir = root
	v, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", ErrNoSource, err)
	}
	return root, string(v), nil
}
