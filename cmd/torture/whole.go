package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"locktorture/internal/programs"
	"locktorture/runs"
)

// The build tags of what few need and all would have to compile: the libraries of the container
// engine, and the engine for guests in wasm.
const wholeTags = "engine,wasmguests"

// wholeProgram is torture with these.
func wholeProgram() programs.Program {
	return programs.Program{
		Name: "torture-whole", What: "torture with containers and guests in wasm",
		Package: "cmd/torture", Tags: wholeTags, Link: "-X main.commit=" + commit,
	}
}

// becomeWhole lets that program do what this one was asked for. It returns only where that cannot
// be. It must be called before anything was started.
func becomeWhole(ctx context.Context) error {
	path, err := wholeProgram().Path(ctx)
	if err != nil {
		return runs.Broken(err)
	}
	if self, err := os.Executable(); err == nil {
		path = placed(path, filepath.Join(filepath.Dir(self), wholeProgram().Name))
	}
	return runs.Broken(fmt.Errorf("%s: %w", path, syscall.Exec(path, os.Args, os.Environ())))
}

// placed is the program beside this one, where what goes with both is found, or where it is if it
// cannot be put there.
func placed(path, beside string) string {
	a, err := os.Stat(path)
	if err != nil {
		return path
	}
	if b, err := os.Stat(beside); err == nil && os.SameFile(a, b) {
		return beside
	}
	temp := fmt.Sprintf("%s.%d", beside, os.Getpid())
	if err := os.Link(path, temp); err != nil {
		if err := copyFile(path, temp); err != nil {
			return path
		}
	}
	if err := os.Rename(temp, beside); err != nil {
		_ = os.Remove(temp)
		return path
	}
	return beside
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755)
}
