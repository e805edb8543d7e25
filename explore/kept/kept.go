// Package kept stores a user's lock beside a run that shows its fault, so that torture can play the
// run again: in virtual time with clients built from the lock's source, on real servers with the
// test binary itself as the process of each client.
package kept

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"locktorture/internal/plainfile"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/wire/owner"
)

// Files in a run directory.
const (
	File   = "lock.json" // file with a Lock
	Binary = "lock.test" // the test binary, which is the process of a client
)

// AsDriver is the environment variable that makes a test binary the process of a client.
const AsDriver = "TORTURE_GOTEST_DRIVER"

// A Lock describes a lock that a test has tried.
type Lock struct {
	Order  inside.Order `json:"order"`           // order of the run
	Folder string       `json:"folder"`          // directory of its package
	Flags  []string     `json:"flags,omitempty"` // flags of go test with which it is built
	Test   string       `json:"test,omitempty"`  // test that found the anomaly; "": it has no name

	dir string // directory from which it was read
}

// Keep writes the lock of this test binary into a run directory.
func (l Lock) Keep(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return l.keep(dir, self)
}

// KeepAgain copies a lock from one run directory into another.
func (l Lock) KeepAgain(dir string) error { return l.keep(dir, filepath.Join(l.dir, Binary)) }

func (l Lock) keep(dir, binary string) error {
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	in, err := plainfile.Open(binary)
	if err != nil {
		return err
	}
	defer in.Close()
	return errors.Join(written(dir, File, bytes.NewReader(append(text, '\n')), 0o644), written(dir, Binary, in, 0o755))
}

// written writes a new file.
func written(dir, name string, from io.Reader, mode fs.FileMode) error {
	f, err := plainfile.CreateIn(dir, name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// Read reads the lock of a run directory. It returns nil if there is no user's lock.
func Read(dir string) (*Lock, error) {
	text, err := plainfile.ReadIn(dir, File, plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	l := &Lock{dir: dir}
	if err == nil {
		err = json.Unmarshal(text, l)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", File, err)
	case l.Order.Own == nil:
		return nil, fmt.Errorf("%s does not describe the lock", File)
	}
	return l, nil
}

// ErrGone reports that the sources of a lock or its test binary are missing.
var ErrGone = errors.New("files of the lock are missing")

// Load builds the program of the clients, and the harness, of the given kind.
func (l *Lock) Load(ctx context.Context, e machine.Engine, k machine.Kind) (clients, harness *machine.Program, err error) {
	if _, err := os.Stat(l.Folder); err != nil {
		return nil, nil, fmt.Errorf("%w: in virtual time, the clients are built from the lock's package, which was in %s: %w", ErrGone, l.Folder, err)
	}
	if clients, err = machine.LoadTest(ctx, e, l.Folder, k, l.Flags...); err != nil {
		return nil, nil, err
	}
	if harness, err = machine.LoadHarness(ctx, e, l.Folder, k); err != nil {
		return nil, nil, errors.Join(err, clients.Close(ctx))
	}
	return clients, harness, nil
}

// Check returns an error if there is no test binary that can be a client.
func (l *Lock) Check() error {
	if info, err := os.Lstat(l.binary()); err != nil || !info.Mode().IsRegular() || info.Mode()&0o100 == 0 {
		return fmt.Errorf("%w: %s is not a program. On real servers, each client is a process of the test binary; run the test again to keep the binary", ErrGone, l.binary())
	}
	return nil
}

// Names returns the translation from values on the servers to names of owners; nil if the lock
// does not tell how its servers record the holder.
func (l *Lock) Names() *owner.Names { return l.Order.Names() }

func (l *Lock) binary() string { return filepath.Join(l.dir, Binary) }

// Open starts a client on real servers.
func (l *Lock) Open(ctx context.Context, o driver.Open, log io.Writer) (locks.Locker, error) {
	path, err := filepath.Abs(l.binary())
	if err != nil {
		return nil, err
	}
	o.Backend, o.Options = "", l.Order.Options
	c, err := driver.Start(ctx, driver.Command{Path: path, Dir: l.folder(), Env: append(os.Environ(), AsDriver+"=1"), Stderr: log}, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.binary(), err)
	}
	return c, nil
}

// folder returns the directory of the test, if it still exists.
func (l *Lock) folder() string {
	if info, err := os.Stat(l.Folder); err == nil && info.IsDir() {
		return l.Folder
	}
	return ""
}
