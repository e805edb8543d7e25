package programs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A kept is the place of a program in the user's cache. One process at a time builds there.
type kept struct {
	Program
	root string // of the source
	dir  string
	lock *os.File
}

// at is the place of a program, which nobody has taken.
func (p Program) at(root string) (*kept, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	of := sha256.Sum256([]byte(root + "\x00" + p.Tags))
	dir := filepath.Join(cache, "torture", "programs", p.Name+"-"+hex.EncodeToString(of[:6]))
	return &kept{Program: p, root: root, dir: dir}, nil
}

// keep takes the place of a program, or waits for whoever has it.
func (p Program) keep(root string) (*kept, error) {
	k, err := p.at(root)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		return nil, err
	}
	k.lock, err = os.OpenFile(filepath.Join(k.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for err = unix.Flock(int(k.lock.Fd()), unix.LOCK_EX); err == unix.EINTR; {
		err = unix.Flock(int(k.lock.Fd()), unix.LOCK_EX)
	}
	return k, err
}

func (k *kept) release() { _ = k.lock.Close() }

func (k *kept) program() string { return filepath.Join(k.dir, k.Name) }

func (k *kept) sources() string { return filepath.Join(k.dir, "sources.json") }

// madeOf is what a program was made of: the directories of its packages in this repository and
// the files embedded in them, and the sum of all that. What it takes from elsewhere go.mod names.
type madeOf struct {
	Paths []string `json:"paths"` // from the root on
	Sum   string   `json:"sum"`
}

// fresh reports whether the program is there, and of the source as it is now.
func (k *kept) fresh() bool {
	var m madeOf
	b, err := os.ReadFile(k.sources())
	if err != nil || json.Unmarshal(b, &m) != nil {
		return false
	}
	if _, err := os.Stat(k.program()); err != nil {
		return false
	}
	sum, err := k.sum(m.Paths)
	return err == nil && sum == m.Sum
}

// note writes down what the program was made of.
func (k *kept) note(paths []string) error {
	m := madeOf{Paths: []string{k.Dir}}
	for _, path := range paths {
		if rel, err := filepath.Rel(k.root, path); err == nil && filepath.IsLocal(rel) {
			m.Paths = append(m.Paths, rel)
		}
	}
	var err error
	if m.Sum, err = k.sum(m.Paths); err != nil {
		return err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(k.sources(), b, 0o644)
}

// sum sums up files, those that are in directories, and the version of Go. Tests do not count.
func (k *kept) sum(paths []string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), k.Tags, k.Link, k.Package)
	for _, path := range paths {
		err := filepath.WalkDir(filepath.Join(k.root, path), func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && file != filepath.Join(k.root, path):
				return filepath.SkipDir
			case !d.Type().IsRegular() || strings.HasSuffix(file, "_test.go"):
				return nil
			}
			b, err := os.ReadFile(file)
			fmt.Fprintf(h, "%s %s %d\n", path, d.Name(), len(b))
			h.Write(b)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// run runs a command of Go in the program's module. It says why it failed.
func (k *kept) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.WaitDelay = filepath.Join(k.root, k.Dir), time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && ctx.Err() != nil {
		return "", ctx.Err() // Go's error says only that it was killed
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
