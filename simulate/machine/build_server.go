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

// LoadServer builds a server that is a guest, from a folder of the module locktorture/tools. dir is
// the directory of a module that requires torture; "" is the current one. of is the module with the
// server's source. version is a release of that module; "" selects the release that
// locktorture/tools requires. LoadServer also returns the release. The server is a native program,
// and its first build takes a few minutes of processor time.
func LoadServer(ctx context.Context, dir, folder, of, version string) (p *Program, built string, err error) {
	root, err := target{dir: dir}.said(ctx, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrNoSource, err)
	}
	tools := filepath.Join(strings.TrimSpace(root), "tools")
	t := target{kind: "server", dir: tools, name: "./" + folder}
	if version != "" {
		k, err := requiring(ctx, filepath.Join(tools, folder), of, version)
		if err != nil {
			return nil, "", fmt.Errorf("%s %s: %w", of, version, err)
		}
		defer k.release()
		t.dir, t.name = k.dir, "."
	}
	t.list, t.build = []string{t.name}, []string{"build"}
	if p, err = loadKind(ctx, nil, Native, t); err == nil {
		built, err = t.said(ctx, "list", "-m", "-f", "{{.Version}}", of)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the server of %s: %w", folder, err)
	}
	return p, strings.TrimSpace(built), nil
}

// ErrNoRelease reports that a release of a server does not exist, or cannot be fetched here.
var ErrNoRelease = errors.New("this release cannot be obtained")

// complete is the name of an empty file. It marks the directory of a module as complete.
const complete = "complete"

// requiring returns a locked directory of the cache with a module. The module has the program
// of folder, and requires the module named of in the given version. The go command selects the
// releases of all further modules, and may have to download them.
func requiring(ctx context.Context, folder, of, version string) (*kept, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		return nil, errors.Join(ErrNoSource, err)
	}
	h := sha256.New()
	fmt.Fprintln(h, of, version)
	files := map[string][]byte{"go.mod": fmt.Appendf(nil, "module locktorture/server\n\ngo 1.24.0\n\nrequire %s %s\n", of, version)}
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
