package process

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A template is the data directory of a server that has never run. Making one takes longer than
// starting the server, so it is made at its first use and stored in the user's cache directory,
// under a name that depends on the program and its arguments.
type template struct {
	kind string   // "mariadb"
	made []string // the texts on which its content depends: arguments and the program's version
	fill func(ctx context.Context, dir string) error
}

// copyTo copies the template to dir, which must not exist. Without a cache directory it makes the
// data directory in place.
func (t template) copyTo(ctx context.Context, dir string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return t.fill(ctx, dir)
	}
	sum := sha256.Sum256([]byte(strings.Join(t.made, "\x00")))
	kept := filepath.Join(cache, "torture", fmt.Sprintf("%s-%x", t.kind, sum[:6]))
	if _, err := os.Stat(kept); err != nil {
		if err := t.make(ctx, kept); err != nil {
			return fmt.Errorf("make %s data directory: %w", t.kind, err)
		}
	}
	return os.CopyFS(dir, os.DirFS(kept))
}

// make fills a temporary directory and moves it to its path, so that no process sees a part of it.
// If another process was faster, its template is used.
func (t template) make(ctx context.Context, kept string) error {
	tmp, err := os.MkdirTemp("", "torture-template-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o711); err != nil { // the server may run as another user
		return err
	}
	if err := t.fill(ctx, filepath.Join(tmp, "data")); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(kept), t.kind+"-half-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	if err := os.CopyFS(filepath.Join(half, "data"), os.DirFS(filepath.Join(tmp, "data"))); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(half, "data"), kept); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// tell returns the version that a program prints.
func tell(program string) (string, error) {
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", program, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// run runs a program and waits until it has ended. If the program fails, the error quotes the end
// of its output.
func run(ctx context.Context, program string, args ...string) error {
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out[max(0, len(out)-tailSize):])
	}
	return nil
}
