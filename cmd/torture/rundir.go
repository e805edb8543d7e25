package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
)

// A runDir is the directory of one run.
type runDir struct {
	name string
	path string
	made string // the topmost directory that had to be made for it

	begun atomic.Bool // its history has begun: it is kept, whatever comes
}

// newRunDir makes <base>/<time>-<backend>-<seed>/ and points latest at it.
func newRunDir(base, backend string, seed uint64) (*runDir, error) {
	return makeRunDir(base, fmt.Sprintf("%s-%d", backend, seed))
}

// makeRunDir makes <base>/<time>-<name>/.
func makeRunDir(base, called string) (*runDir, error) {
	stem := time.Now().Format("20060102-150405.000") + "-" + called
	made := topmostMissing(base)
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	name := stem
	for i := 2; ; i++ {
		err := os.Mkdir(filepath.Join(base, name), 0o755)
		if err == nil {
			break
		}
		if !os.IsExist(err) || i > 100 {
			return nil, fmt.Errorf("run directory: %w", err)
		}
		name = fmt.Sprintf("%s.%d", stem, i)
	}
	return &runDir{name: name, path: filepath.Join(base, name), made: made}, nil
}

// topmostMissing is the topmost directory of a path that does not exist.
func topmostMissing(path string) string {
	missing := ""
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); err == nil || p == filepath.Dir(p) {
			return missing
		}
		missing = p
	}
}

// file is the path of a file of the run.
func (d *runDir) file(name string) string { return filepath.Join(d.path, name) }

// latest points results/runs/latest at this run. A run is as good without the pointer,
// so that a file system that has no links is no error.
func (d *runDir) latest() {
	link := filepath.Join(filepath.Dir(d.path), "latest")
	temporary := link + "." + d.name
	if os.Symlink(d.name, temporary) == nil {
		_ = os.Rename(temporary, link)
	}
}

// discard removes the directory of a run that never began. It tells whether it did.
func (d *runDir) discard() bool {
	if d.begun.Load() {
		return false
	}
	d.remove()
	return true
}

// keptIn adds to an error where the run is that it came to.
func keptIn(d *runDir, err error) error {
	code := exitHarness
	var e *exit.Error
	if errors.As(err, &e) {
		code = e.Code
	}
	return exit.With(code, fmt.Errorf("%w; the run is kept, check again: torture check %s", err, d.path))
}

func (d *runDir) remove() {
	_ = os.RemoveAll(d.path)
	if d.made == "" {
		return
	}
	for p := filepath.Dir(d.path); len(p) >= len(d.made); p = filepath.Dir(p) {
		if os.Remove(p) != nil { // another run is in it
			return
		}
	}
}

// writeJSON writes one value, indented.
func (d *runDir) writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return atomicfile.Write(d.file(name), func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

// readJSON reads what writeJSON wrote.
func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
