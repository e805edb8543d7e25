package trial

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"locktorture/internal/atomicfile"
	"locktorture/report"
)

// A Dir is the directory of one run: <base>/<time>-<what it is called>.
type Dir struct {
	Name string
	Path string
	made string // the topmost directory that had to be made for it

	begun atomic.Bool // its history has begun: it is kept, whatever comes
}

// NewDir makes the directory <base>/<time>-<called>.
func NewDir(base, called string) (*Dir, error) {
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
	return &Dir{Name: name, Path: filepath.Join(base, name), made: made}, nil
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

// File is the path of a file of the run.
func (d *Dir) File(name string) string { return filepath.Join(d.Path, name) }

// Latest points <base>/latest at this run. A run is as good without the pointer,
// so that a file system that has no links is no error.
func (d *Dir) Latest() {
	link := filepath.Join(filepath.Dir(d.Path), "latest")
	temporary := link + "." + d.Name
	if os.Symlink(d.Name, temporary) == nil {
		_ = os.Rename(temporary, link)
	}
}

// Prune removes all but the newest runs of a base, so many of which it keeps. It returns those
// that are gone.
func Prune(base string, keep int) (gone []string, err error) {
	paths, err := filepath.Glob(filepath.Join(base, "*", "run.json"))
	if err != nil {
		return nil, err
	}
	var runs []string
	for _, p := range paths {
		run := filepath.Dir(p)
		if filepath.Base(run) != "latest" {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs) // their names begin with the time
	for _, run := range runs[:max(0, len(runs)-keep)] {
		if err := os.RemoveAll(run); err != nil {
			return gone, err
		}
		gone = append(gone, run)
	}
	return gone, nil
}

// Discard removes the directory of a run that never began. It tells whether it did.
func (d *Dir) Discard() bool {
	if d.begun.Load() {
		return false
	}
	d.remove()
	return true
}

// A KeptError says what failed of a run of which something was recorded, and where that is.
type KeptError struct {
	Err error
	Dir string
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%v; the run is kept, check again: torture check %s", e.Err, e.Dir)
}

// Unwrap returns what failed.
func (e *KeptError) Unwrap() error { return e.Err }

// Kept adds to an error where the run is that it came to.
func (d *Dir) Kept(err error) error { return &KeptError{err, d.Path} }

func (d *Dir) remove() {
	_ = os.RemoveAll(d.Path)
	if d.made == "" {
		return
	}
	for p := filepath.Dir(d.Path); len(p) >= len(d.made); p = filepath.Dir(p) {
		if os.Remove(p) != nil { // another run is in it
			return
		}
	}
}

// WriteJSON writes one object, indented, with the schema.
func (d *Dir) WriteJSON(name string, v any) error {
	b, err := report.Indented(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return atomicfile.Write(d.File(name), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// ReadJSON reads what WriteJSON wrote.
func ReadJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := report.Readable(b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
