package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile is held by whoever appends.
const lockFile = ".lock"

// Append adds a line to the ledger in a directory, which it makes if need be. Processes that
// append at the same time wait for each other. A line that is not valid is refused, and of one
// that cannot be written whole (a full disk) nothing stays.
func Append(dir string, l Line) error { return add(dir, l) }

func add(dir string, r record) error {
	if err := r.Check(time.Now()); err != nil {
		return fmt.Errorf("the ledger refuses the line: %w", err)
	}
	return appendTo(dir, r.file(), encode(r))
}

// appendTo adds a line to a file of a directory.
func appendTo(dir, name string, line []byte) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	alone, err := take(filepath.Join(dir, lockFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, alone.Close()) }()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// take opens a file and waits until nobody else has it. Closing it gives it back.
func take(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err == unix.EINTR; {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
