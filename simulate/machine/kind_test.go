package machine_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"locktorture/simulate/machine"
	"locktorture/simulate/machine/wasm"
)

// each does the same with a program of each kind that this machine can have.
func each(t *testing.T, do func(t *testing.T, p *machine.Program)) {
	for _, k := range []machine.Kind{machine.Native, machine.Wasm} {
		t.Run(string(k), func(t *testing.T) {
			p, err := machine.LoadKind(t.Context(), wasm.Engine{}, "cmd/guest", k)
			if errors.Is(err, machine.ErrKind) && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
				t.Skip(err)
			}
			must(t, err)
			defer func() { must(t, p.Close(t.Context())) }()
			if p.Kind() != k {
				t.Errorf("%s is %s", p.Sum(), p.Kind())
			}
			do(t, p)
		})
	}
}

// The environment asks for a kind, and for no other word.
func TestAsked(t *testing.T) {
	for _, want := range []machine.Kind{machine.Any, machine.Native, machine.Wasm} {
		t.Setenv("TORTURE_GUEST", string(want))
		if k, err := machine.Asked(); k != want || err != nil {
			t.Errorf("%q: %q, %v", want, k, err)
		}
	}
	t.Setenv("TORTURE_GUEST", "wasi")
	if _, err := machine.Load(t.Context(), wasm.Engine{}, "cmd/guest"); !errors.Is(err, machine.ErrKind) {
		t.Errorf("wasi: %v", err)
	}
}

// Where the runtime of Go is not known, a native program is refused to who insists on it; all
// others get one in wasm, which is built for wasip1.
func TestUnknownRuntime(t *testing.T) {
	dir := t.TempDir()
	program := "#!/bin/sh\ncase $1 in env) echo " + dir + ";; build) echo built for $GOOS >&2; exit 1;; esac\n"
	must(t, os.WriteFile(filepath.Join(dir, "go"), []byte(program), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	if _, err := machine.LoadKind(t.Context(), wasm.Engine{}, "cmd/guest", machine.Native); !errors.Is(err, machine.ErrKind) && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
		t.Errorf("native: %v", err)
	}
	_, err := machine.LoadKind(t.Context(), wasm.Engine{}, "cmd/guest", machine.Any)
	if failed := (*machine.CompileError)(nil); !errors.As(err, &failed) || failed.Output != "built for wasip1\n" {
		t.Errorf("any: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "cache/torture/*/*")); len(left) > 0 {
		t.Errorf("what was not built is kept: %v", left)
	}
}
