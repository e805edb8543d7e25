// Package atomicfile replaces files by whole ones.
package atomicfile

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"locktorture/internal/plainfile"
)

// Write replaces a file that the user has named by a whole one, as WriteIn does. A link is
// followed. What is no regular file, as a terminal or /dev/null, is written as it is: a rename
// would put a file in its place.
func Write(path string, fill func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeOpen(path, fill)
	}
	return WriteIn(filepath.Dir(path), filepath.Base(path), fill)
}

// WriteIn replaces a file of a directory by a whole one: it is written beside it and renamed.
// Where that fails the old one is there as before, and nothing else. A link of that name is
// replaced, and not followed.
func WriteIn(dir, name string, fill func(io.Writer) error) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := plainfile.NoLink(root, filepath.Dir(name)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	beside := name + "." + rand.Text()[:10] + ".new"
	f, err := root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", filepath.Base(name), err), root.Remove(beside))
		}
	}()
	err = filled(f, fill)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Rename(beside, name)
}

func filled(f *os.File, fill func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 64<<10)
	if err := fill(w); err != nil {
		return err
	}
	return w.Flush()
}

// writeOpen writes into what is there.
func writeOpen(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(filled(f, fill), f.Close())
}

// WriteText is Write of a text.
func WriteText(path, text string) error { return Write(path, writing(text)) }

// WriteTextIn is WriteIn of a text.
func WriteTextIn(dir, name, text string) error { return WriteIn(dir, name, writing(text)) }

func writing(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}
