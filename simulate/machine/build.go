package machine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoSource is returned where the guest cannot be built, as there is no Go or not the source
// of this module.
var ErrNoSource = errors.New("a simulation compiles its clients from the source of torture: run it there, with Go installed")

const module = "locktorture"

// Load builds a command of this module for wasip1 and compiles it, each only if no earlier
// program of this user has done it for the same source, or does it now. The first takes half a
// minute of processor if Go has nothing of it in its cache, the second ten seconds.
func Load(ctx context.Context, command string) (*Program, error) {
	sum, err := sumOf(ctx, command)
	if err != nil {
		return nil, err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	k, err := keep(ctx, filepath.Join(base, "torture", "guest"), hex.EncodeToString(sum[:12]))
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	defer k.release()
	wasm, err := build(ctx, command, k.dir)
	if err != nil {
		return nil, err
	}
	return Compile(ctx, wasm, k.dir)
}

// build returns the module of a command.
func build(ctx context.Context, command, cache string) ([]byte, error) {
	file := filepath.Join(cache, "guest.wasm")
	if wasm, err := os.ReadFile(file); err == nil {
		return wasm, nil
	}
	// Built beside its place and moved there: what is killed while it builds leaves no half of
	// it.
	made := file + ".new"
	cmd := goTool(ctx, "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", made, module+"/"+command)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build guest: %w\n%s", err, out)
	}
	wasm, err := os.ReadFile(made)
	if err != nil {
		return nil, fmt.Errorf("build guest: %w", err)
	}
	return wasm, os.Rename(made, file)
}

// goTool is a command of Go for the guest's machine.
func goTool(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	return cmd
}
