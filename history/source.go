package history

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"locktorture/internal/plainfile"
)

// A Source is a valid history that can be read several times, so that a checker need not keep it in
// memory.
type Source interface {
	// Each calls do with the entries in their order, until do returns an error. It returns that
	// error. do may keep an entry and must not change it.
	Each(do func(op *Op) error) error
}

var (
	_ Source = History(nil)
	_ Source = (*File)(nil)
)

// Each implements Source. It passes the entries of h themselves, not copies.
func (h History) Each(do func(op *Op) error) error {
	for i := range h {
		if err := do(&h[i]); err != nil {
			return err
		}
	}
	return nil
}

// A File is a history in a file, plain or compressed with gzip. The first pass checks the rules of
// a history; later passes skip the check.
type File struct {
	Name string
	// InRun reports that the file is in a run directory. Links are not followed there, because the
	// directory may stem from somebody else.
	InRun bool
	// Truncated reports, after the first pass, that the last line was incomplete and left out.
	Truncated bool
	// Unsummed reports, after the first pass, that the End has no checksum.
	Unsummed bool

	// valid is set after a pass over the whole file without an error.
	valid bool
}

// open opens the file, and follows links only outside of a run directory.
func (f *File) open() (*os.File, error) {
	if f.InRun {
		return plainfile.OpenIn(filepath.Dir(f.Name), filepath.Base(f.Name))
	}
	return plainfile.Open(f.Name)
}

// Each implements Source. Every pass opens the file again.
func (f *File) Each(do func(op *Op) error) error {
	src, err := f.open()
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	defer src.Close()
	r, err := NewReader(src)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if f.valid {
		r.rules = nil
	}
	for {
		op := new(Op)
		err := r.read(op)
		if err == io.EOF {
			if !f.valid {
				f.Truncated, f.Unsummed, f.valid = r.Truncated, r.Unsummed, true
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := do(op); err != nil {
			return err
		}
	}
}
