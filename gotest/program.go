//go:build !wasip1 && !simulated

package gotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"locktorture/explore"
	"locktorture/simulate/machine"
	"locktorture/simulate/machine/wasm"
)

// load compiles two programs: the harness, and the test of the package in the current
// directory, which is the clients. For a lock on a cluster, it also compiles the servers. Each is
// compiled only once for the same source.
func load(ctx context.Context, cluster string, at func(format string, args ...any)) (g explore.Guests, err error) {
	defer func() {
		if err != nil {
			_ = g.Close() // no data is written there
		}
	}()
	kind, err := machine.Asked()
	if err != nil {
		return g, fmt.Errorf("gotest: %w", err)
	}
	if cluster != "" {
		at("compiling %s for the simulator, once", cluster)
		if g.Cluster, err = explore.LoadCluster(ctx, cluster, "", ""); err != nil {
			return g, fmt.Errorf("gotest: compile %s for the simulator: %w", cluster, cmp.Or(context.Cause(ctx), err))
		}
		kind = machine.Native
	}
	at("compiling this package for the simulator, once for each version of it")
	g.Clients, err = machine.LoadTest(ctx, wasm.Engine{}, "", kind, tags()...)
	switch {
	case ctx.Err() != nil:
		return g, fmt.Errorf("gotest: compile this package for the simulator: %w", context.Cause(ctx))
	case errors.Is(err, machine.ErrKind):
		return g, fmt.Errorf("gotest: compile this package for the simulator: %w", err)
	case err != nil:
		return g, uncompiled(err)
	}
	at("compiling the harness of the simulator, once for each version of torture")
	if g.Harness, err = machine.LoadHarness(ctx, wasm.Engine{}, "", kind); err != nil {
		return g, fmt.Errorf("gotest: the harness of a simulation cannot be compiled: %w", err)
	}
	return g, nil
}

// tags returns the build tags of this test.
func tags() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			return []string{"-tags=" + s.Value}
		}
	}
	return nil
}

// mostOutput bounds the lines of the compiler's output that are shown.
const mostOutput = 12

// uncompiled returns the reason why the clients cannot be compiled, with a remedy.
func uncompiled(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("gotest: a simulation compiles this package once more, for wasip1, but go is not on the PATH")
	}
	var failed *machine.CompileError
	if !errors.As(err, &failed) || failed.Output == "" {
		return fmt.Errorf("gotest: compile this package for wasip1: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(failed.Output), "\n")
	if len(lines) > mostOutput {
		lines = append(lines[:mostOutput], "…")
	}
	text := "gotest: the clients of a simulation are this package with its tests, compiled for wasip1, but this package does not compile:\n\t" + strings.Join(lines, "\n\t")
	for _, cause := range causes(failed.Output) {
		text += "\n" + cause
	}
	return errors.New(text + "\nput what the lock does not need into files that begin with //go:build !wasip1; if the lock needs it, only Check can try the lock")
}

var (
	excluded  = regexp.MustCompile(`(?m)([\w./-]+): build constraints exclude all Go files`)
	undefined = regexp.MustCompile(`undefined: ((?:syscall|unix|os|net)\.\w+)`)
	usesC     = regexp.MustCompile(`(?m)^\s*(?:import\s+)?"C"\s*$`)
)

// causes lists the required parts that wasip1 lacks.
func causes(output string) (all []string) {
	files, _ := filepath.Glob("*.go")
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && usesC.Match(text) {
			all = append(all, f+" uses cgo, which wasip1 does not have")
		}
	}
	told := map[string]bool{}
	tell := func(form string, of *regexp.Regexp) {
		for _, m := range of.FindAllStringSubmatch(output, -1) {
			if !told[m[1]] {
				told[m[1]] = true
				all = append(all, fmt.Sprintf(form, m[1]))
			}
		}
	}
	tell("the package %s has no file for wasip1: it is for other systems, or it needs cgo", excluded)
	tell("%s is not there on wasip1, which has no processes, no signals and no devices", undefined)
	return all
}
