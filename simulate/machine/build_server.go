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
	"strings"
)

// A Server names the program of a server that is a guest.
type Server struct {
	Module string // directory of the module with the program, below that of torture
	Folder string // directory of the program, below that of its module
	Of     string // path of the module with the server's source
}

// Etcd is the server of etcd.
func Etcd() Server {
	return Server{Module: "tools", Folder: "guests/etcd", Of: "go.etcd.io/etcd/server/v3"}
}

// NATS is the server of NATS.
func NATS() Server {
	return Server{Module: "tools/nats", Folder: "guest", Of: "github.com/nats-io/nats-server/v2"}
}

// LoadServer builds a server that is a guest. dir is the directory of a module that requires torture;
// "" is the current one. version is a release of the server's module; "" selects the release that
// torture requires. LoadServer also returns the release. The server is a native program, and its
// first build takes a few minutes of processor time.
func LoadServer(ctx context.Context, dir string, s Server, version string) (p *Program, built string, err error) {
	root, err := rootOf(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	t := target{kind: "server", dir: filepath.Join(root, s.Module), name: "./" + s.Folder}
	if version != "" {
		k, err := requiring(ctx, root, s, version)
		if err != nil {
			return nil, "", fmt.Errorf("%s %s: %w", s.Of, version, err)
		}
		defer k.release()
		t.dir, t.name = k.dir, "."
	}
	t.list, t.build = []string{t.name}, []string{"build"}
	if p, err = loadKind(ctx, nil, Native, t); err == nil {
		built, err = t.said(ctx, "list", "-m", "-f", "{{.Version}}", s.Of)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the server of %s: %w", s.Of, err)
	}
	return p, strings.TrimSpace(built), nil
}

// rootOf returns the directory of torture's source, as the module in dir requires it.
func rootOf(ctx context.Context, dir string) (string, error) {
	root, err := target{dir: dir}.said(ctx, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoSource, err)
	}
	return strings.TrimSpace(root), nil
}

// hostModule is the module that starts the programs of servers. It has no requirements.
const hostModule = module + "/tools/guests/host"

// ErrNoRelease reports that a release of a server does not exist, or cannot be fetched here.
var ErrNoRelease = errors.New("this release cannot be obtained")

// complete is the name of an empty file. It marks the directory of a module as complete.
const complete = "complete"

// requiring returns a locked directory of the cache with a module. The module has the program of
// the server, and requires the given version of its source. The go command selects the releases of
// all further modules, and may have to download them.
func requiring(ctx context.Context, root string, s Server, version string) (*kept, error) {
	paths, err := filepath.Glob(filepath.Join(root, s.Module, s.Folder, "*.go"))
	if err != nil || len(paths) == 0 {
		return nil, errors.Join(ErrNoSource, err)
	}
	mod := fmt.Appendf(nil, "module locktorture/server\n\ngo 1.24.0\n\nrequire (\n\t%s %s\n\t%s v0.0.0\n)\n\nreplace %[3]s => %s\n",
		s.Of, version, hostModule, filepath.Join(root, "tools/guests/host"))
	h := sha256.New()
	fmt.Fprintf(h, "%s", mod)
	files := map[string][]byte{"go.mod": mod}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[filepath.Base(path)] = text
		fmt.Fprintf(h, "%s %x\n", filepath.Base(path), sha256.Sum256(text))
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	k, err := keep(ctx, filepath.Join(base, "torture", "server-modules"), hex.EncodeToString(h.Sum(nil)[:12]))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(k.dir, complete)); err == nil {
		return k, nil
	}
	if err := makeModule(ctx, k.dir, files); err != nil {
		_ = os.RemoveAll(k.dir) // the next caller must not find the directory
		k.release()
		return nil, err
	}
	return k, nil
}

// makeModule makes a module of files in a directory.
func makeModule(ctx context.Context, dir string, files map[string][]byte) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: go mod tidy: %w: %s", ErrNoRelease, err, lastLine(out))
	}
	return os.WriteFile(filepath.Join(dir, complete), nil, 0o644)
}

// lastLine returns the last line of the go command's output, which tells the error.
func lastLine(out []byte) string {
	text := strings.TrimSpace(string(out))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
