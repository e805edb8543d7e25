package machine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A module that requires a release is made once, from the module cache alone. One that requires a release
// that nobody published leaves nothing behind.
func TestRequiring(t *testing.T) {
	const library = "golang.org/x/sync"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", library).Output()
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(out)) // this module requires it, so it is in the cache
	cache, folder := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"XDG_CACHE_HOME": cache, "GOPROXY": "off", "GONOSUMDB": "*", "GOFLAGS": "-mod=mod", "GOCACHE": t.TempDir()} {
		t.Setenv(name, value)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	of, err := filepath.Rel(root, folder)
	if err != nil {
		t.Fatal(err)
	}
	s := Server{Folder: of, Of: library}
	text := "package main\n\nimport _ \"" + library + "/errgroup\"\n\nfunc main() {}\n"
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for range 2 {
		k, err := requiring(t.Context(), root, s, version)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, k.dir)
		mod, err := os.ReadFile(filepath.Join(k.dir, "go.mod"))
		if err != nil || !strings.Contains(string(mod), library+" "+version) {
			t.Errorf("go.mod: %q, %v; want %s %s", mod, err, library, version)
		}
		k.release()
	}
	if dirs[0] != dirs[1] {
		t.Errorf("made twice: %v", dirs)
	}
	if k, err := requiring(t.Context(), root, s, "v0.99.99"); !errors.Is(err, ErrNoRelease) {
		t.Errorf("a release that does not exist: %v, %v; want ErrNoRelease", k, err)
	}
	left, err := os.ReadDir(filepath.Join(cache, "torture", "server-modules"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v; want one module", left, err)
	}
}
