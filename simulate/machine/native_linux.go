package machine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"locktorture/simulate/machine/native"
)

// A kin is the native form of a program. It keeps a nursery for each environment and set of
// processors.
type kin struct {
	path string

	mu        sync.Mutex
	nurseries map[string]*nursery
}

// loadNative builds a target as a native program. It returns native.ErrOther where that is
// impossible.
func loadNative(ctx context.Context, t target) (*Program, error) {
	if runtime.GOARCH != "amd64" {
		return nil, native.ErrOther
	}
	t.flags = tagged(t.flags)
	name, root, err := t.nativeSum(ctx)
	if err != nil {
		return nil, err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	k, err := keep(ctx, filepath.Join(base, "torture", "native-"+t.kind), name)
	if err != nil {
		return nil, fmt.Errorf("cache of guests: %w", err)
	}
	defer k.release()
	path := filepath.Join(k.dir, "guest")
	if _, err := os.Stat(path); err != nil {
		if err := t.buildNative(ctx, root, k.dir, path); err != nil {
			_ = os.RemoveAll(k.dir) // the build failed: the next caller must not find the directory
			return nil, err
		}
	}
	return &Program{sum: string(Native) + " " + name[:16], kin: &kin{path: path}}, nil
}

// tagged adds the tag of native programs to the flags of a go command.
func tagged(flags []string) []string {
	tags := native.Tag
	var others []string
	for _, f := range flags {
		if list, ok := strings.CutPrefix(f, "-tags="); ok {
			tags += "," + list
			continue
		}
		others = append(others, f)
	}
	return append(others, "-tags="+tags)
}

// nativeSum returns a name that identifies the source of a target, and the GOROOT.
func (t target) nativeSum(ctx context.Context) (name, root string, err error) {
	env, err := t.goNative(ctx, "env", "GOROOT", "GOVERSION", "GOFLAGS", "GOEXPERIMENT", "GOAMD64")
	if err != nil {
		return "", "", err
	}
	root, _, _ = strings.Cut(env, "\n")
	const each = `{{if not .Standard}}{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .GoFiles "\t"}}{{"\t"}}{{join .SFiles "\t"}}{{"\t"}}{{join .EmbedFiles "\t"}}{{end}}`
	packages, err := t.goNative(ctx, slices.Concat([]string{"list", "-deps", "-f", each}, t.flags, t.list)...)
	if err != nil {
		return "", "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, t.name, t.flags, env, native.Sum())
	for line := range strings.Lines(packages) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if err := add(h, f[0], f[1], f[2:]); err != nil {
			return "", "", fmt.Errorf("source of guest: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), root, nil
}

// buildNative builds the program under another name and moves it when it is complete.
func (t target) buildNative(ctx context.Context, root, dir, path string) error {
	overlay, err := native.Overlay(root, dir)
	if err != nil {
		return err
	}
	made := path + ".new"
	args := slices.Concat(t.build, []string{"-overlay", overlay, "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags", "-s -w", "-o", made}, t.flags, []string{t.name})
	if _, err = t.goNative(ctx, args...); err != nil {
		return errors.Join(native.ErrOther, err)
	}
	return os.Rename(made, path)
}

// goNative returns the output of a go command for this machine. An error may mean that the source
// is missing or does not compile for this machine; it may still compile for wasip1.
func (t target) goNative(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.WaitDelay = time.Second // for the processes that it started, when ctx ends
	cmd.Dir, cmd.Env = t.dir, append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var out, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case t.kind == "test":
		return "", fmt.Errorf("%w: go %s: %w: %s", native.ErrOther, args[0], err, complaint.String())
	}
	return "", fmt.Errorf("%w: go %s: %w: %s", ErrNoSource, args[0], err, complaint.String())
}

// start starts a process, which may run on the processors that the calling thread may use.
func (k *kin) start(_ context.Context, w World, args, env []string) (*Process, error) {
	var where unix.CPUSet
	if err := unix.SchedGetaffinity(0, &where); err != nil {
		return nil, fmt.Errorf("native guest: %w", err)
	}
	n, err := k.nursery(env, where)
	if err != nil {
		return nil, err
	}
	q := newProcess(w, args, env)
	q.remote, err = n.bear(q, args[1])
	if err != nil {
		return nil, err
	}
	return q, nil
}

// nursery returns the nursery for an environment and a set of processors, and starts it if
// necessary.
func (k *kin) nursery(env []string, where unix.CPUSet) (*nursery, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := fmt.Sprint(env, where)
	if n := k.nurseries[key]; n != nil {
		return n, nil
	}
	n, err := startNursery(k.path, env, where)
	if err != nil {
		return nil, err
	}
	if k.nurseries == nil {
		k.nurseries = map[string]*nursery{}
	}
	k.nurseries[key] = n
	return n, nil
}

func (k *kin) close() error {
	var errs []error
	for _, n := range k.nurseries {
		errs = append(errs, n.close())
	}
	return errors.Join(errs...)
}
