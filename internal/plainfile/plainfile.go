// Package plainfile reads and writes files that may come from a stranger. Only regular files
// are opened, so that no pipe is waited for and no device is read without end; ReadPiped takes
// a pipe as well, for a limited time. What is read whole has a bound. Links inside a directory are not followed: a run directory from somewhere
// else must not reach the files of whoever looks at it.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Bounds of what is read whole, in bytes.
const (
	Text = 1 << 20  // settings, secrets, schedules
	Data = 64 << 20 // JSON that this program has written
)

// ErrLink is wrapped by the error about a link in a directory.
var ErrLink = errors.New("a link, and links in such a directory are not followed")

// Open opens a regular file that the user has named. If it is a link, that is followed.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if err := regular(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read reads a whole file that the user has named.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(f, f.Name(), most)
}

// OpenIn opens a regular file of a directory for reading. No part of name may be a link.
func OpenIn(dir, name string) (*os.File, error) { return open(dir, name, os.O_RDONLY) }

// ReadIn reads a whole file of a directory.
func ReadIn(dir, name string, most int64) ([]byte, error) {
	f, err := OpenIn(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(f, f.Name(), most)
}

// UpdateIn opens a regular file of a directory for reading and writing, and makes it where it
// is missing.
func UpdateIn(dir, name string) (*os.File, error) { return open(dir, name, os.O_RDWR|os.O_CREATE) }

// CreateIn makes a file in a directory, which must not have it yet.
func CreateIn(dir, name string) (*os.File, error) {
	return open(dir, name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

func open(dir, name string, flag int) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := NoLink(root, name); err != nil {
		return nil, inDir(dir, name, err)
	}
	f, err := root.OpenFile(name, flag|nonblock, 0o644)
	if err != nil {
		return nil, inDir(dir, name, err)
	}
	err = regular(f)
	if err == nil {
		err = same(root, name, f)
	}
	if err != nil {
		return nil, errors.Join(inDir(dir, name, err), f.Close())
	}
	return f, nil
}

// NoLink is an error if a part of a name is a link. A part that is missing is none.
func NoLink(root *os.Root, name string) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%s leads out of the directory", name)
	}
	part := ""
	for _, p := range strings.Split(filepath.ToSlash(filepath.Clean(name)), "/") {
		part = filepath.Join(part, p)
		info, err := root.Lstat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode().Type() == fs.ModeSymlink:
			return ErrLink
		}
	}
	return nil
}

// same is an error if the file that was opened is not the one that has the name: a link took
// its place after NoLink had looked.
func same(root *os.Root, name string, f *os.File) error {
	named, err := root.Lstat(name)
	if err != nil {
		return err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(named, opened) {
		err = ErrLink
	}
	return err
}

// inDir says which file an error is about.
func inDir(dir, name string, err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		err = path.Err
	}
	return &fs.PathError{Op: "open", Path: filepath.Join(dir, name), Err: err}
}

// A KindError is about what is there and is no regular file.
type KindError struct {
	Path string
	Mode fs.FileMode
}

func (e *KindError) Error() string {
	what := "no regular file"
	switch e.Mode.Type() {
	case fs.ModeDir:
		what = "a directory"
	case fs.ModeNamedPipe:
		what = "a pipe"
	case fs.ModeSocket:
		what = "a socket"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		what = "a device"
	}
	return fmt.Sprintf("%s is %s, and only a regular file is read", e.Path, what)
}

func regular(f *os.File) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &KindError{f.Name(), info.Mode()}
	}
	return err
}

// all reads a file that has at most so many bytes.
func all(r io.Reader, name string, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s: larger than %d bytes", name, most)
	}
	return b, err
}
