package machine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"locktorture/simulate/machine/native"
)

// ErrNoSource reports that the guest cannot be built: Go or the source of this module is missing.
var ErrNoSource = errors.New("a simulation compiles its clients from torture's source code: run torture in its source directory, with Go installed")

const module = "locktorture"

// Load loads a command as LoadKind does, with the kind that the environment selects.
func Load(ctx context.Context, e Engine, command string) (*Program, error) {
	k, err := Asked()
	if err != nil {
		return nil, err
	}
	return LoadKind(ctx, e, command, k)
}

// LoadKind builds a command of this module as a native program or for wasip1, and compiles a wasip1
// module to machine code. Both results are cached per user and source; a program that finds another
// one building the same source waits for it. The engine runs wasip1 modules; nil: only native
// programs can run. Without a cache, the build takes one or two minutes of processor time, and the
// compilation ten seconds.
func LoadKind(ctx context.Context, e Engine, command string, k Kind) (*Program, error) {
	return loadCommand(ctx, e, "", command, k)
}

// LoadHarness builds the harness for runs whose clients are a program of their own: the command
// cmd/guest without the libraries of locks, so that the module in dir need not require them.
func LoadHarness(ctx context.Context, e Engine, dir string, k Kind) (*Program, error) {
	return loadCommand(ctx, e, dir, "cmd/guest", k, "-tags=harness")
}

// LoadClients builds the command cmd/guest with the locks on etcd, as the program of clients.
func LoadClients(ctx context.Context) (*Program, error) {
	return loadCommand(ctx, nil, "", "cmd/guest", Native, "-tags=etcdclients")
}

// LoadDriver builds the driver program of a module below drivers/go, as the program of clients.
func LoadDriver(ctx context.Context, name string) (*Program, error) {
	root, err := rootOf(ctx, "")
	if err != nil {
		return nil, err
	}
	return loadKind(ctx, nil, Native, target{kind: "driver", dir: filepath.Join(root, "drivers", "go", name), list: []string{"."}, build: []string{"build"}, name: "."})
}

func loadCommand(ctx context.Context, e Engine, dir, command string, k Kind, flags ...string) (*Program, error) {
	path := module + "/" + command
	p, err := loadKind(ctx, e, k, target{kind: "guest", dir: dir, list: []string{path}, build: []string{"build"}, name: path, flags: flags})
	if failed := (*CompileError)(nil); errors.As(err, &failed) && failed.Listing {
		return nil, fmt.Errorf("%w: %w", ErrNoSource, err)
	}
	return p, err
}

// loadKind builds a target as a program of a kind. Any falls back to Wasm where no native program
// can be built.
func loadKind(ctx context.Context, e Engine, k Kind, t target) (*Program, error) {
	if k != Wasm {
		p, err := loadNative(ctx, t)
		switch {
		case err == nil || ctx.Err() != nil:
			return p, err
		case k == Native:
			return nil, fmt.Errorf("%w: %w", ErrKind, err)
		case !errors.Is(err, native.ErrOther):
			return nil, err
		}
	}
	return load(ctx, e, t)
}

// A target is a program that can be built.
type target struct {
	kind  string   // prefix of its directories in the cache
	dir   string   // directory in which the go command runs; "": the current one
	list  []string // arguments of go list that select the packages of the target
	build []string // go command that builds the target
	name  string
	flags []string // flags for both commands
	// closed builds the program so that it reports attempts to listen on the network to the
	// host.
	closed bool
}

func load(ctx context.Context, e Engine, t target) (*Program, error) {
	if e == nil {
		return nil, ErrNoEngine
	}
	sum, err := t.sum(ctx)
	if err != nil {
		return nil, err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	k, err := keep(ctx, filepath.Join(base, "torture", t.kind), hex.EncodeToString(sum[:12]))
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	defer k.release()
	wasm, err := t.make(ctx, k.dir)
	if err != nil {
		_ = os.RemoveAll(k.dir) // the build failed: the next caller must not find the directory
		return nil, err
	}
	return Compile(ctx, e, wasm, k.dir)
}

// make returns the module, from the cache or newly built.
func (t target) make(ctx context.Context, cache string) ([]byte, error) {
	file := filepath.Join(cache, "guest.wasm")
	if wasm, err := os.ReadFile(file); err == nil {
		return wasm, nil
	}
	// The module is built under another name and then moved, so that a killed build leaves no
	// partial file.
	made := file + ".new"
	args := append(t.build, "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", made)
	if t.closed {
		overlay, err := t.fakeNet(ctx, cache)
		if err != nil {
			return nil, err
		}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
	}
	args = append(append(args, t.flags...), t.name)
	if out, err := t.tool(ctx, args...).CombinedOutput(); err != nil {
		return nil, &CompileError{Output: string(out), Err: err}
	}
	wasm, err := os.ReadFile(made)
	if err != nil {
		return nil, fmt.Errorf("build guest: %w", err)
	}
	return wasm, os.Rename(made, file)
}

// tool returns a go command for wasip1.
func (t target) tool(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.WaitDelay = time.Second // for the processes that it started, when ctx ends
	cmd.Dir, cmd.Env = t.dir, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	return cmd
}
