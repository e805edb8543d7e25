package trial

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"locktorture/internal/atomicfile"
	"locktorture/internal/plainfile"
	"locktorture/report"
)

// A Dir is the directory of one run: <base>/<time>-<called>.
type Dir struct {
	Name string
	Path string
	made string // the topmost directory that NewDir created

	begun atomic.Bool // the history has begun: the directory is kept, whatever fails
	lock  *os.File    // marks a run in progress; nil for a directory that was only read
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
	d := &Dir{Name: name, Path: filepath.Join(base, name), made: made}
	d.lock = lock(d.Path)
	return d, nil
}

// topmostMissing returns the topmost missing directory of a path; "" if the whole path exists.
func topmostMissing(path string) string {
	missing := ""
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); err == nil || p == filepath.Dir(p) {
			return missing
		}
		missing = p
	}
}

// File returns the path of a file of the run.
func (d *Dir) File(name string) string { return filepath.Join(d.Path, name) }

// Latest points <base>/latest at this run. On a file system without links it does nothing,
// because a run does not need the pointer.
func (d *Dir) Latest() {
	link := filepath.Join(filepath.Dir(d.Path), "latest")
	temporary := link + "." + d.Name
	if os.Symlink(d.Name, temporary) == nil {
		_ = os.Rename(temporary, link)
	}
}

// Discard removes the directory of a run that never began. It reports whether it removed it.
func (d *Dir) Discard() bool {
	if d.begun.Load() {
		return false
	}
	d.remove()
	return true
}

// A KeptError wraps the error of a run with a recorded history, and holds the run directory.
type KeptError struct {
	Err error
	Dir string
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%v; the run is kept, check again: torture check %s", e.Err, e.Dir)
}

// Unwrap returns the error of the run.
func (e *KeptError) Unwrap() error { return e.Err }

// Kept adds the path of the run directory to an error.
func (d *Dir) Kept(err error) error { return &KeptError{err, d.Path} }

func (d *Dir) remove() {
	d.unlock()
	_ = os.RemoveAll(d.Path)
	if d.made == "" {
		return
	}
	for p := filepath.Dir(d.Path); len(p) >= len(d.made); p = filepath.Dir(p) {
		if os.Remove(p) != nil { // the directory holds another run
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
	return d.WriteText(name, string(b))
}

// WriteText writes a whole file. It replaces a link of that name and never follows it, because
// the directory may come from somebody else.
func (d *Dir) WriteText(name, text string) error { return atomicfile.WriteTextIn(d.Path, name, text) }

// write replaces a whole file with the text that fill writes.
func (d *Dir) write(name string, fill func(io.Writer) error) error {
	return atomicfile.WriteIn(d.Path, name, fill)
}

// Create creates a file. It fails if the file exists.
func (d *Dir) Create(name string) (*os.File, error) { return plainfile.CreateIn(d.Path, name) }

// Read reads a whole file of the directory. It does not follow links.
func (d *Dir) Read(name string) ([]byte, error) {
	return plainfile.ReadIn(d.Path, name, plainfile.Data)
}

// ReadJSON reads a file that WriteJSON wrote.
func ReadJSON(path string, v any) error {
	b, err := plainfile.ReadIn(filepath.Dir(path), filepath.Base(path), plainfile.Data)
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

// Sub makes a directory inside and returns its absolute path.
func (d *Dir) Sub(name string) (string, error) {
	path, err := filepath.Abs(d.File(name))
	if err != nil {
		return "", err
	}
	return path, os.Mkdir(path, 0o755)
}
